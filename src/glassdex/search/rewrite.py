"""Rewrite: a query gets further words, and texts that might answer it, before anything is looked for.

The user's own words keep their full weight, the further ones together never weigh more than they, and what must or
must not occur is the user's alone. What a rewriter gives is words and text, whatever signs are in it, and bounded. Off
unless asked for. A failure leaves the query as it is and says so.
"""

from __future__ import annotations

import math
import threading
import unicodedata
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from glassdex.analysis import Analyzer
from glassdex.embedding.protocol import Embedder
from glassdex.errors import GlassdexError, InputError, RewriteError
from glassdex.lexical.query import with_further
from glassdex.rewriting.protocol import FurtherWords, Rewrite, Rewriter
from glassdex.search.ledger import Ledger, Rewriting
from glassdex.vectors.protocol import VectorIndex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_WORDS = 32
"""Entries of further words that are taken, and terms that are made of them."""
MAX_WORD_CHARACTERS = 80
MAX_TEXTS = 4
MAX_TEXT_CHARACTERS = 2_000
"""More than an embedding model reads."""
REMEMBERED = 64
_JOINERS = "\u200c\u200d"
"""Format characters that belong to words."""
_UNUSED = {("hyde", "lexical"): "texts serve meaning, and", ("expansion", "dense"): "words serve words, and"}


class Rewrites:
    """Rewrites of the last queries: pages, explanations and trials of one query go by one rewrite, not by several.

    Safe to share between threads.
    """

    def __init__(self, opened: Callable[[str], Rewriter]) -> None:
        self.opened = opened
        self._guard = threading.Lock()
        self._known: OrderedDict[tuple[str, str, str], Rewrite] = OrderedDict()

    def of(self, asked: str, rewriter: Rewriter, query: str) -> Rewrite:
        """What the rewriter makes of the query, bounded and without control characters.

        Raises:
            RewriteError: it gave nothing that can be used.
        """
        key = (asked, rewriter.identity, query)
        with self._guard:
            known = self._known.get(key)
        if known is None:
            known = _bounded(rewriter.rewrite(query), rewriter.name)
            with self._guard:
                # Of two threads that asked at once the first one's answer counts, for both.
                known = self._known.setdefault(key, known)
                if len(self._known) > REMEMBERED:
                    self._known.popitem(last=False)
        return known


def rewrite(ledger: Ledger, analyzer: Analyzer, rewrites: Rewrites) -> None:
    """Writes `ledger.rewriting`.

    Raises:
        InvalidRequest: there is no rewriter of the name that the request gives.
    """
    request = ledger.request
    if request.rewrite == "none" or request.mode == "positional":
        return
    with ledger.stage("rewrite") as stage:
        rewriting = Rewriting(request.rewrite, request.rewrite.partition(":")[0], ledger.query)
        try:
            rewriter = rewrites.opened(request.rewrite)
            rewriting = replace(rewriting, identity=rewriter.identity, kind=rewriter.kind)
            unused = _UNUSED.get((rewriter.kind, request.mode))
            if unused:  # nothing is sent for nothing
                raise RewriteError(f"{unused} mode {request.mode} does without")  # noqa: TRY301
            made = rewrites.of(request.rewrite, rewriter, ledger.query.meaning)
            words = [(words.text, words.weight) for words in made.words]
            query = with_further(ledger.query, words, analyzer, MAX_WORDS)
            rewriting = replace(
                rewriting,
                query=query,
                words=tuple(made.words),
                texts=tuple(made.texts),
                terms=query.terms[len(ledger.query.terms) :],
            )
        except InputError:
            raise
        except Exception as error:  # also what a foreign adapter lets through: the query is there without it
            reason = error.message if isinstance(error, GlassdexError) else f"{type(error).__name__}: {error}"
            rewriting = replace(rewriting, fallback=reason)
            ledger.notes.append(f"not rewritten: {reason}")
        ledger.rewriting = rewriting
        stage.measured["words"] = len(rewriting.terms)
        stage.measured["texts"] = len(rewriting.texts)


def embed_query(ledger: Ledger, embedder: Embedder) -> NDArray[np.float32]:
    """The query's vector: a unit one in the direction of the mean of its own and those of the rewriter's texts.

    Equation 8 of Gao et al., "Precise Zero-Shot Dense Retrieval without Relevance Labels" (ACL 2023). Each text is
    alone in its batch, so that the vector does not depend on other work. The query's own where the mean is 0.

    Raises:
        EmbeddingError: the model failed.
    """
    own = embedder.embed_query(ledger.query.meaning)
    if ledger.rewriting is None or not ledger.rewriting.texts:
        return own
    import numpy as np

    total = own.astype(np.float64)
    for text in ledger.rewriting.texts:
        total = total + embedder.embed_documents([text])[0]
    length = float(np.linalg.norm(total))
    return (total / length).astype(np.float32) if length > 1e-9 else own


def own_similarities(ledger: Ledger, embedder: Embedder, dense: tuple[VectorIndex, NDArray[np.float32]] | None) -> None:
    """Where texts were averaged in, writes each candidate's cosine with the user's own words: the verdict goes by it.

    A passage that is near to a made-up answer may be far from what was asked; the floors were measured on the latter.
    """
    if dense is None or ledger.rewriting is None or not ledger.rewriting.texts:
        return
    import numpy as np

    chunk_ids = np.fromiter(sorted(ledger.candidates), dtype=np.int64)
    cosines = dense[0].similarities(embedder.embed_query(ledger.query.meaning), chunk_ids)
    known = ~np.isnan(cosines)
    ledger.own_similarities = dict(zip(chunk_ids[known].tolist(), cosines[known].tolist(), strict=True))


def _bounded(given: Rewrite, name: str) -> Rewrite:
    words = [
        FurtherWords(text, min(float(words.weight), 1.0))
        for words in list(given.words)[:MAX_WORDS]
        if (text := _plain(words.text, MAX_WORD_CHARACTERS)) and math.isfinite(words.weight) and words.weight > 0
    ]
    texts = [_plain(text, MAX_TEXT_CHARACTERS) for text in list(given.texts)[:MAX_TEXTS]]
    made = Rewrite(tuple(words), tuple(filter(None, texts)))
    if not made.words and not made.texts:
        raise RewriteError(f"the rewriter {name!r} gave neither words nor a text")
    return made


def _plain(text: str, characters: int) -> str:
    """On one line, without control, format and unassigned characters, at most so long."""
    # Before anything looks at each character: what is far too long is not read to its end.
    beginning = text[: 4 * characters]
    kept = "".join(c if c in _JOINERS or unicodedata.category(c)[0] != "C" else " " for c in beginning)
    return " ".join(kept.split())[:characters].strip()
