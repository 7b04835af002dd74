"""Rerankers behind a URL, in the form of Cohere, Jina or Text Embeddings Inference (TEI).

Query and passages leave the machine for the URL in the user's own configuration, and for no other.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence

from glassdex.embedding.tokens import encodable
from glassdex.errors import RerankError
from glassdex.reranking.services import RerankService
from glassdex.services.web import WebService


class HttpReranker:
    """Keeps the `Reranker` protocol with a service that the user configured."""

    name = "http"
    scale = "the service's own; higher is better"

    def __init__(self, service: RerankService, pause: Callable[[float], None] = time.sleep) -> None:
        """`pause` waits so many seconds between two attempts."""
        self._service = service
        self._web = WebService(service.url, service.key, service.timeout_seconds, self._failure, pause)

    @property
    def identity(self) -> str:
        """The model that the configuration names and the service's host: nobody can see its weights."""
        return f"http {self._service.model or self._service.api} at {self._web.host}"

    def rerank(self, query: str, passages: Sequence[str]) -> list[float]:
        """The service's score of each passage, asked for in groups of `texts_a_request`.

        Raises:
            RerankError: the service cannot be reached, answers with an error, or with something that is no scores.
        """
        scores: list[float] = []
        size = self._service.texts_a_request
        for start in range(0, len(passages), size):
            group = [encodable(passage) for passage in passages[start : start + size]]
            scores += self._scores(self._web.ask(self._question(encodable(query), group)), len(group))
        return scores

    def _question(self, query: str, passages: Sequence[str]) -> dict[str, object]:
        question: dict[str, object] = {"query": query}
        if self._service.api == "tei":
            question |= {"texts": passages, "truncate": True}
        else:
            question |= {"documents": passages, "top_n": len(passages)}
        if self._service.model:
            question["model"] = self._service.model
        if self._service.api == "jina":
            question["return_documents"] = False
        return question

    def _scores(self, answer: object, count: int) -> list[float]:
        results = answer.get("results") if isinstance(answer, dict) else answer
        if not isinstance(results, list):
            raise self._failure("answered without a list of results")
        scores: dict[int, float] = {}
        for result in results:
            index, score = self._scored(result, count)
            if index in scores:
                raise self._failure(f"scored passage {index} twice")
            scores[index] = score
        if len(scores) != count:
            raise self._failure(f"scored {len(scores)} of {count} passages")
        return [scores[index] for index in range(count)]

    def _scored(self, result: object, count: int) -> tuple[int, float]:
        if not isinstance(result, dict):
            raise self._failure(f"answered with the result {_brief(result)}")
        index, score = result.get("index"), result.get("relevance_score", result.get("score"))
        if type(index) is not int or not 0 <= index < count:
            raise self._failure(f"answered for passage {_brief(index)} of {count}")
        if isinstance(score, bool) or not isinstance(score, int | float):
            raise self._failure(f"gave passage {index} the score {_brief(score)}")
        try:
            number = float(score)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise self._failure(f"gave passage {index} a score that is not finite")
        return index, number

    def _failure(self, what: str) -> RerankError:
        name = self._service.name
        return RerankError(
            f"the reranker {name!r} at {self._web.host} {what}",
            f"see [rerankers.{name}] in config.toml, or search with --rerank none",
        )


def _brief(value: object) -> str:
    return repr(value)[:40]
