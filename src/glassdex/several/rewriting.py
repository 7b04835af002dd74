"""One rewrite for several projects: what they look for is the same, so that what they find can be compared."""

from __future__ import annotations

from glassdex.rewriting.protocol import Rewrite, Rewriter


class SharedRewriter:
    """Keeps the `Rewriter` protocol by another one; what became of the last query, also a failure, is so for all."""

    def __init__(self, rewriter: Rewriter) -> None:
        self.rewriter = rewriter
        self._last: tuple[str, Rewrite | Exception] | None = None

    @property
    def name(self) -> str:
        """That of the rewriter behind it."""
        return self.rewriter.name

    @property
    def identity(self) -> str:
        """That of the rewriter behind it."""
        return self.rewriter.identity

    @property
    def kind(self) -> str:
        """That of the rewriter behind it."""
        return self.rewriter.kind

    def rewrite(self, query: str) -> Rewrite:
        """See `Rewriter.rewrite`."""
        last = self._last  # another thread may ask something else meanwhile
        if last is None or last[0] != query:
            try:
                last = (query, self.rewriter.rewrite(query))
            except Exception as error:  # whatever it is, the next project is told the same
                last = (query, error)
            self._last = last
        made = last[1]
        if isinstance(made, Exception):
            raise made
        return made
