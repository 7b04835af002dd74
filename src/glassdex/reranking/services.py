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

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, cast, get_args

from glassdex.services.table import CONNECTION, ServiceTable

RerankApi = Literal["cohere", "jina", "tei"]
TIMEOUT_SECONDS = 10.0
TEXTS_A_REQUEST = 32
"""TEI's own limit, as long as nobody raises it."""
_KINDS = {**CONNECTION, "api": str, "model": str, "texts_a_request": int}


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
    read = ServiceTable("rerankers", name, table, _KINDS)
    return RerankService(
        name=name,
        url=read.url("http://localhost:8080/rerank"),
        api=cast("RerankApi", read.choice("api", get_args(RerankApi), "cohere")),
        model=read.text("model"),
        key=read.key(),
        timeout_seconds=read.number("timeout_seconds", TIMEOUT_SECONDS, (0.001, 600)),
        texts_a_request=int(read.number("texts_a_request", TEXTS_A_REQUEST, (1, 1000))),
    )
