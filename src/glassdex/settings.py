"""Where things live and what the user set: `config.toml` in the user's own folder, never one inside an indexed root."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path

from glassdex.errors import InvalidSetting

FUSIONS = ("convex/1", "rrf/1", "bonus/1")
FEEDBACK = ("auto", "on", "off")
MAX_LIMIT = 1000
"""Documents a page."""
MAX_EXPAND = 100
"""Documents that links may bring in."""
RERANK_WEIGHT = 0.3
"""Share of the reranker's score in the blended one; measured in docs/benchmarks.md, "Reranking"."""

MAX_WEIGHT = 2.0
"""The most that a document's front matter can weigh it with."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The user's defaults. `language` and `max_file_megabytes` apply to projects made from now on.

    `passwords` are tried on encrypted files; no error, log or representation shows them. With `redact_secrets` the API
    keys, tokens and private keys in transcripts are replaced before anything is indexed. `rerank` is what a search on
    the command line asks for by default; `rerankers` holds the services it can name, see `reranking.services`.
    `rewrite` and `rewriters` likewise, see `rewriting.services`.
    """

    language: str = "english"
    max_file_megabytes: int = 20
    fusion: str = "convex/1"
    feedback: str = "auto"
    limit: int = 10
    expand: int = 0
    redact_secrets: bool = True
    passwords: tuple[str, ...] = field(default=(), repr=False)
    rerank: str = "none"
    rerank_weight: float = RERANK_WEIGHT
    rerankers: Mapping[str, Mapping[str, object]] = field(default_factory=dict, repr=False)
    rewrite: str = "none"
    rewriters: Mapping[str, Mapping[str, object]] = field(default_factory=dict, repr=False)
    weights: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """By key of the front matter, in lower case, the weight of each value; none: the value itself is the weight."""


def home() -> Path:
    """The folder of stores and configuration: `GLASSDEX_HOME`, else the system's place for user data."""
    chosen = os.environ.get("GLASSDEX_HOME")
    if chosen:
        return Path(chosen).expanduser().absolute()
    from platformdirs import user_data_path

    return user_data_path("glassdex", appauthor=False)


def projects_folder() -> Path:
    """One store file for each project."""
    return home() / "projects"


def load_settings() -> Settings:
    """The settings of `config.toml`, defaults where it says nothing.

    Raises:
        InvalidSetting: the file is no TOML, or holds an unknown name or a value of the wrong type.
    """
    path = home() / "config.toml"
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Settings()
    except (ValueError, RecursionError, OSError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InvalidSetting(f"{path} cannot be read: {reason}", "mend the file or move it away") from error
    if "passwords" in values:
        values["passwords"] = _passwords(path, values["passwords"])
    for name in ("rerankers", "rewriters"):
        if name in values:
            values[name] = _services(path, name, values[name])
    if "weights" in values:
        values["weights"] = _weights(path, values["weights"])
    defaults = Settings()
    known = [field.name for field in fields(Settings)]
    for name, value in values.items():
        if name not in known:
            raise InvalidSetting(f"{path}: unknown setting {name!r}", f"known settings: {', '.join(known)}")
        default = getattr(defaults, name)
        if type(value) is not type(default):
            kind = type(default).__name__
            raise InvalidSetting(f"{path}: {name} = {value!r} is not a {kind}", f"for example {name} = {default!r}")
    return _within_domains(path, Settings(**values))


def _within_domains(path: Path, settings: Settings) -> Settings:
    if settings.fusion not in FUSIONS:
        raise InvalidSetting(f"{path}: unknown fusion {settings.fusion!r}", f"one of {', '.join(FUSIONS)}")
    if settings.feedback not in FEEDBACK:
        raise InvalidSetting(f"{path}: unknown feedback {settings.feedback!r}", f"one of {', '.join(FEEDBACK)}")
    if not 1 <= settings.limit <= MAX_LIMIT:
        raise InvalidSetting(f"{path}: limit = {settings.limit} is not between 1 and {MAX_LIMIT}")
    if not 0 <= settings.expand <= MAX_EXPAND:
        raise InvalidSetting(f"{path}: expand = {settings.expand} is not between 0 and {MAX_EXPAND}")
    if settings.max_file_megabytes < 1:
        raise InvalidSetting(f"{path}: max_file_megabytes = {settings.max_file_megabytes} is not 1 or more")
    if not 0 <= settings.rerank_weight <= 1:
        raise InvalidSetting(f"{path}: rerank_weight = {settings.rerank_weight} is not between 0 and 1")
    return settings


def _passwords(path: Path, value: object) -> tuple[str, ...]:
    """The list as it is in the file; what stands there instead is not repeated: it is meant to be a secret."""
    if not isinstance(value, list) or not all(isinstance(password, str) for password in value):
        raise InvalidSetting(
            f"{path}: passwords is not a list of strings", 'for example passwords = ["first", "second"]'
        )
    return tuple(value)


def _services(path: Path, name: str, tables: object) -> Mapping[str, Mapping[str, object]]:
    """The tables as they are in the file; they hold keys, so none is repeated."""
    if not isinstance(tables, dict) or not all(isinstance(table, dict) for table in tables.values()):
        raise InvalidSetting(f"{path}: {name} is not a table of services", f'for example [{name}.mine] url = "…"')
    return tables


def _weights(path: Path, table: object) -> Mapping[str, Mapping[str, float]]:
    example = "for example [weights] confidence = true, or status = { draft = 0.7, final = 1.0 }"
    if not isinstance(table, dict):
        raise InvalidSetting(f"{path}: weights is not a table of front matter's keys", example)
    rules: dict[str, Mapping[str, float]] = {}
    for key, rule in table.items():
        if rule is False:
            continue
        choices = {} if rule is True else rule
        if not isinstance(choices, dict) or not (choices or rule is True):
            raise InvalidSetting(f"{path}: [weights] {key} is neither true nor a table of weights", example)
        for value, weight in choices.items():
            if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight <= MAX_WEIGHT:
                raise InvalidSetting(f"{path}: [weights] {key}.{value} is no number from 0 to {MAX_WEIGHT:g}", example)
        rules[key.casefold()] = {value.casefold(): float(weight) for value, weight in choices.items()}
    return rules
