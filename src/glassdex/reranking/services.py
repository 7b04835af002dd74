"""Reranking services of the user's settings: `[rerankers.NAME]` in `config.toml`.

[rerankers.mine]
url = "http://localhost:8080/rerank"
api = "tei"                     # or "cohere" (the default), "jina"
model = "bge-reranker-base"     # where the service has several
key_env = "RERANKER_KEY"        # or key = "…"
timeout_seconds = 10
texts_a_request = 32
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args
from urllib.parse import urlsplit

from glassdex.errors import InvalidSetting

RerankApi = Literal["cohere", "jina", "tei"]
TIMEOUT_SECONDS = 10.0
TEXTS_A_REQUEST = 32
"""TEI's own limit, as long as nobody raises it."""
_KINDS: Mapping[str, type | tuple[type, ...]] = {
    "url": str,
    "api": str,
    "model": str,
    "key": str,
    "key_env": str,
    "timeout_seconds": (int, float),
    "texts_a_request": int,
}


@dataclass(frozen=True, slots=True)
class RerankService:
    """Where a service is and how it is asked. `api` is the form of its requests; `key` goes along as a bearer token.

    No error, log or representation shows the key.
    """

    name: str
    url: str
    api: RerankApi = "cohere"
    model: str = ""
    key: str = field(default="", repr=False)
    timeout_seconds: float = TIMEOUT_SECONDS
    texts_a_request: int = TEXTS_A_REQUEST


def rerank_service(name: str, table: Mapping[str, object]) -> RerankService:
    """The service that a table of the settings describes; `key_env` names an environment variable with the key.

    Raises:
        InvalidSetting: names the setting, and its value unless it may be a key.
    """
    where = f"config.toml: [rerankers.{name}]"
    for given, value in table.items():
        if given not in _KINDS:
            raise InvalidSetting(f"{where}: unknown setting {given!r}", f"known settings: {', '.join(_KINDS)}")
        if isinstance(value, bool) or not isinstance(value, _KINDS[given]):
            raise InvalidSetting(f"{where}: {given} is of the wrong type")
    url = str(table.get("url", ""))
    if not _is_web_address(url):
        raise InvalidSetting(f"{where}: url is no http or https address", 'for example "http://localhost:8080/rerank"')
    return RerankService(
        name=name,
        url=url,
        api=_api(where, table.get("api", "cohere")),
        model=str(table.get("model", "")),
        key=_key(where, table),
        timeout_seconds=_number(where, table, "timeout_seconds", TIMEOUT_SECONDS, (0.001, 600)),
        texts_a_request=int(_number(where, table, "texts_a_request", TEXTS_A_REQUEST, (1, 1000))),
    )


def _api(where: str, value: object) -> RerankApi:
    for known in get_args(RerankApi):
        if value == known:
            return known  # type: ignore[no-any-return] # one of the literals themselves
    raise InvalidSetting(f"{where}: unknown api {value!r}", f"one of {', '.join(get_args(RerankApi))}")


def _number(where: str, table: Mapping[str, object], name: str, default: float, domain: tuple[float, float]) -> float:
    value = table.get(name, default)
    assert isinstance(value, int | float)
    if not domain[0] <= value <= domain[1]:
        raise InvalidSetting(f"{where}: {name} = {value} is not between {domain[0]} and {domain[1]}")
    return float(value)


def _is_web_address(url: str) -> bool:
    """A key belongs into `key`: an address with a user's name and password in it would be shown."""
    try:
        parts = urlsplit(url)
        named = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    plain = url.isascii() and url.isprintable() and " " not in url
    return plain and named and parts.scheme in ("http", "https") and "@" not in parts.netloc


def _key(where: str, table: Mapping[str, object]) -> str:
    variable = table.get("key_env")
    key = str(table.get("key", "")) if variable is None else os.environ.get(str(variable), "")
    if variable is not None and not key:
        raise InvalidSetting(f"{where}: the environment has no {variable}", f"export {variable}=…")
    if not key.isascii() or not key.isprintable():
        raise InvalidSetting(f"{where}: the key has characters that no HTTP header may have")
    return key
