"""Rewriters behind a URL: language models with OpenAI's chat completions (Ollama, vLLM, llama.cpp, OpenAI).

The query leaves the machine for the URL in the user's own configuration, and for no other.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from glassdex.embedding.tokens import encodable
from glassdex.errors import RewriteError
from glassdex.rewriting.protocol import FurtherWords, Rewrite
from glassdex.rewriting.services import RewriteService
from glassdex.services.web import WebService

INSTRUCTIONS = {
    # Gao et al., "Precise Zero-Shot Dense Retrieval without Relevance Labels" (ACL 2023): a passage that might answer,
    # right or wrong, is nearer to the passages that do than the question is.
    "hyde": "You write passages for a search by meaning. Write one passage of about 100 words, in the language of the "
    "query, as it might stand in a document that answers the query. Answer with the passage alone.",
    "expansion": "You widen queries for a search by words. List at most 12 words or short terms that a document "
    "which answers the query is likely to hold and the query does not have: synonyms, terms of the field, "
    "abbreviations. Use the language of the query. Answer with the terms alone, one a line.",
}
MAX_WORDS = 32
_ITEM = re.compile(r"[\n,;]")
_BULLET = re.compile(r"^\s*(?:[-*•]+|\d+[.)])\s+")
_THOUGHT = "</think>"
"""Models that think aloud do so before this; some servers leave it in the answer."""


class HttpRewriter:
    """Keeps the `Rewriter` protocol with a language model that the user configured."""

    name = "http"

    def __init__(self, service: RewriteService, pause: Callable[[float], None] = time.sleep) -> None:
        """`pause` waits so many seconds between two attempts."""
        self._service = service
        self._web = WebService(service.url, service.key, service.timeout_seconds, self._failure, pause)

    @property
    def identity(self) -> str:
        """The model that the configuration names and the service's host: nobody can see its weights."""
        return f"http {self._service.model or 'unnamed'} at {self._web.host}"

    @property
    def kind(self) -> str:
        """See `Rewriter.kind`."""
        return self._service.kind

    def rewrite(self, query: str) -> Rewrite:
        """What the model says: a passage (`hyde`) or terms (`expansion`).

        Raises:
            RewriteError: the service cannot be reached, answers with an error, or with something that is no text.
        """
        said = self._said(self._web.ask(self._question(encodable(query))))
        if self._service.kind == "hyde":
            return Rewrite(texts=(said,))
        items = (_BULLET.sub("", item).strip() for item in _ITEM.split(said))
        words = [FurtherWords(item, self._service.word_weight) for item in items if item]
        return Rewrite(words=tuple(words[:MAX_WORDS]))

    def _question(self, query: str) -> dict[str, object]:
        question: dict[str, object] = {
            "messages": [
                {"role": "system", "content": INSTRUCTIONS[self._service.kind]},
                {"role": "user", "content": query},
            ],
            "temperature": 0,
            "max_tokens": self._service.max_tokens,
            "stream": False,
        }
        if self._service.model:
            question["model"] = self._service.model
        return question

    def _said(self, answer: object) -> str:
        try:
            said = answer["choices"][0]["message"]["content"]  # type: ignore[index] # whatever it is not, is caught
        except (TypeError, KeyError, IndexError) as error:
            raise self._failure("answered without a message") from error
        if not isinstance(said, str):
            raise self._failure("answered with a message that is no text")
        said = said.rpartition(_THOUGHT)[2].strip()
        if not said:
            raise self._failure("answered with an empty message")
        if said.startswith("<think>"):
            raise self._failure("had not done with thinking after max_tokens")
        return said

    def _failure(self, what: str) -> RewriteError:
        name = self._service.name
        return RewriteError(
            f"the rewriter {name!r} at {self._web.host} {what}",
            f"see [rewriters.{name}] in config.toml, or search with --rewrite none",
        )
