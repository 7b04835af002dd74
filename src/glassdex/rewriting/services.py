"""Language models of the user's settings that rewrite queries: `[rewriters.NAME]` in `config.toml`.

[rewriters.mine]
url = "http://localhost:11434/v1/chat/completions"
model = "llama3.2"
kind = "hyde"                   # or "expansion"
key_env = "LLM_KEY"             # or key = "…"
timeout_seconds = 30
max_tokens = 400
word_weight = 0.3               # of kind "expansion": what a further word weighs beside one of yours
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, cast, get_args

from glassdex.services.table import CONNECTION, ServiceTable

RewriteKind = Literal["expansion", "hyde"]
TIMEOUT_SECONDS = 30.0
"""A language model on a processor takes its time."""
MAX_TOKENS = 400
"""An embedding model reads the first 250 or so of them; one that thinks first needs more than that."""
WORD_WEIGHT = 0.3
_KINDS = {
    **CONNECTION,
    "model": str,
    "kind": str,
    "max_tokens": int,
    "word_weight": (int, float),
}


@dataclass(frozen=True, slots=True)
class RewriteService:
    """Where a language model is and what it is asked for; `key` goes along as a bearer token.

    No error, log or representation shows the key.
    """

    name: str
    url: str
    kind: RewriteKind
    model: str = ""
    key: str = field(default="", repr=False)
    timeout_seconds: float = TIMEOUT_SECONDS
    max_tokens: int = MAX_TOKENS
    word_weight: float = WORD_WEIGHT


def rewrite_service(name: str, table: Mapping[str, object]) -> RewriteService:
    """The service that a table of the settings describes; `key_env` names an environment variable with the key.

    Raises:
        InvalidSetting: names the setting, and its value unless it may be a key.
    """
    read = ServiceTable("rewriters", name, table, _KINDS)
    return RewriteService(
        name=name,
        url=read.url("http://localhost:11434/v1/chat/completions"),
        kind=cast("RewriteKind", read.choice("kind", get_args(RewriteKind))),
        model=read.text("model"),
        key=read.key(),
        timeout_seconds=read.number("timeout_seconds", TIMEOUT_SECONDS, (0.001, 600)),
        max_tokens=int(read.number("max_tokens", MAX_TOKENS, (1, 8192))),
        word_weight=read.number("word_weight", WORD_WEIGHT, (0.01, 1)),
    )
