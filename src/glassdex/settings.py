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
RERANK_WEIGHT = 0.3
"""Share of the reranker's score in the blended one; measured in docs/benchmarks.md, "Reranking"."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The user's defaults. `language` and `max_file_megabytes` apply to projects made from now on.

    `passwords` are tried on encrypted files; no error, log or representation shows them. With `redact_secrets` the API
    keys, tokens and private keys in transcripts are replaced before anything is indexed. `rerank` is what a search on
    the command line asks for by default; `rerankers` holds the services it can name, see `reranking.services`.
    """

    language: str = "english"
    max_file_megabytes: int = 20
    fusion: str = "convex/1"
    feedback: str = "auto"
    limit: int = 10
    redact_secrets: bool = True
    passwords: tuple[str, ...] = field(default=(), repr=False)
    rerank: str = "none"
    rerank_weight: float = RERANK_WEIGHT
    rerankers: Mapping[str, Mapping[str, object]] = field(default_factory=dict, repr=False)


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
    if "rerankers" in values:
        values["rerankers"] = _rerankers(path, values["rerankers"])
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


def _rerankers(path: Path, tables: object) -> Mapping[str, Mapping[str, object]]:
    """The tables as they are in the file; they hold keys, so none is repeated."""
    if not isinstance(tables, dict) or not all(isinstance(table, dict) for table in tables.values()):
        raise InvalidSetting(f"{path}: rerankers is not a table of services", 'for example [rerankers.mine] url = "…"')
    return tables
