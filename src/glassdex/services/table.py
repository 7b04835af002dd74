"""A service's table in `config.toml`, read setting by setting; what is wrong names the setting, and never a key."""

from __future__ import annotations

import os
from collections.abc import Mapping
from urllib.parse import urlsplit

from glassdex.errors import InvalidSetting

Kinds = Mapping[str, type | tuple[type, ...]]
CONNECTION: Kinds = {"url": str, "key": str, "key_env": str, "timeout_seconds": (int, float)}
"""The settings that every service has."""


class ServiceTable:
    """The table `[section.name]`. Every method raises `InvalidSetting` for a value outside its domain."""

    def __init__(self, section: str, name: str, values: Mapping[str, object], kinds: Kinds) -> None:
        """`kinds` gives the type of each known setting.

        Raises:
            InvalidSetting: a setting is unknown or of the wrong type.
        """
        self._where = f"config.toml: [{section}.{name}]"
        self._values = values
        for given, value in values.items():
            if given not in kinds:
                raise InvalidSetting(f"{self._where}: unknown setting {given!r}", f"known settings: {', '.join(kinds)}")
            if isinstance(value, bool) or not isinstance(value, kinds[given]):
                raise InvalidSetting(f"{self._where}: {given} is of the wrong type")

    def text(self, name: str) -> str:
        """The value, empty where none is given."""
        return str(self._values.get(name, ""))

    def url(self, example: str) -> str:
        """The address. A key belongs into `key`: an address with a user's name and password in it would be shown."""
        url = self.text("url")
        if not _is_web_address(url):
            raise InvalidSetting(f"{self._where}: url is no http or https address", f'for example "{example}"')
        return url

    def choice(self, name: str, known: tuple[str, ...], default: str | None = None) -> str:
        """One of the known values."""
        value = self._values.get(name, default)
        for choice in known:
            if value == choice:
                return choice
        said = f"unknown {name} {value!r}" if name in self._values else f"{name} is missing"
        raise InvalidSetting(f"{self._where}: {said}", f"one of {', '.join(known)}")

    def number(self, name: str, default: float, domain: tuple[float, float]) -> float:
        """A number within its domain, both ends included."""
        value = self._values.get(name, default)
        assert isinstance(value, int | float)
        if not domain[0] <= value <= domain[1]:
            raise InvalidSetting(f"{self._where}: {name} = {value} is not between {domain[0]} and {domain[1]}")
        return float(value)

    def key(self) -> str:
        """The key, or what is in the environment variable that `key_env` names; empty where neither is given."""
        variable = self._values.get("key_env")
        key = self.text("key") if variable is None else os.environ.get(str(variable), "")
        if variable is not None and not key:
            raise InvalidSetting(f"{self._where}: the environment has no {variable}", f"export {variable}=…")
        if not key.isascii() or not key.isprintable():
            raise InvalidSetting(f"{self._where}: the key has characters that no HTTP header may have")
        return key


def _is_web_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        named = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    plain = url.isascii() and url.isprintable() and " " not in url
    return plain and named and parts.scheme in ("http", "https") and "@" not in parts.netloc
