"""The analyser: Unicode words, identifiers whole and by part, CJK pairs, stems.

Two streams come out of a text. **Words** carry positions, so phrases run on them: plain words (stemmed), compounds and
identifiers whole (`it-644`, `snake_case`, not stemmed), overlapping pairs of CJK characters. **Parts** do not: the
words inside a compound or a CamelCase name, and single CJK characters.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.metadata
import threading
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Protocol

from glassdex.analysis.scripts import CJK_CHARACTER, word_parts, word_pattern
from glassdex.analysis.stopwords import stopwords
from glassdex.errors import InvalidSetting

VERSION = 2
MAX_TERM_CHARACTERS = 100
_CACHE_LIMIT = 500_000


@dataclass(frozen=True, slots=True)
class Token:
    """A term and the code points `[start, end)` of the analysed text that it came from.

    `part` marks the second stream. `redundant` marks a part that only repeats what its whole says (a single CJK
    character inside a longer run): it is indexed, but a query does not ask for it.
    """

    term: str
    start: int
    end: int
    part: bool = False
    redundant: bool = False


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802 - the library's name


class Analyzer:
    """Turns text into terms for one language; thread-safe, since its caches only ever gain equal entries."""

    def __init__(self, language: str = "english") -> None:
        self.language = language
        self._stemmer = _load_stemmer(language)
        self._stemming = threading.Lock()
        self._stems: dict[str, str] = {}
        self.stopword_terms = frozenset(self._plain_term(word) for word in stopwords(language))
        self._apostrophe_joins = language == "english"
        self._surfaces: dict[str, tuple[str, tuple[str, ...]]] = {}

    @cached_property
    def identity(self) -> str:
        """Names all that decides which terms come out: an index made under another identity is behind."""
        stop_hash = hashlib.sha256(" ".join(sorted(stopwords(self.language))).encode()).hexdigest()[:8]
        stemmer = importlib.metadata.version("snowballstemmer")
        return (
            f"glassdex-analyzer/{VERSION} {self.language} snowball-{stemmer} stop-{stop_hash} "
            f"unicode-{unicodedata.unidata_version}"
        )

    def terms(self, text: str) -> tuple[list[str], list[str]]:
        """(words in order, parts in order); the fast form for indexing."""
        if text.isascii():
            found = self._analyzed(word_pattern(text, self._apostrophe_joins).findall(text))
            return [term for term, _ in found], [part for _, inner in found if inner for part in inner]
        words: list[str] = []
        parts: list[str] = []
        for token in self.tokens(text):
            (parts if token.part else words).append(token.term)
        return words, parts

    def written_words(self, text: str) -> Iterator[tuple[str, str]]:
        """(term, the word as written, casefolded) of the words of `text`, repetitions at most."""
        if text.isascii():
            surfaces = list(dict.fromkeys(word_pattern(text, self._apostrophe_joins).findall(text)))
            for surface, (term, _) in zip(surfaces, self._analyzed(surfaces), strict=True):
                yield term, surface.casefold()
            return
        for token in self.tokens(text):
            if not token.part:
                yield token.term, text[token.start : token.end].casefold()

    def tokens(self, text: str) -> list[Token]:
        """Every token with its offsets in `text` as given: normalisation happens token by token."""
        found: list[Token] = []
        for match in word_pattern(text, self._apostrophe_joins).finditer(text):
            if match.re.groups and match.lastgroup == "cjk":
                found += _cjk_tokens(match.group(), match.start())
            else:
                found += self._word_tokens(match.group(), match.start())
        return found

    def tokens_among(self, text: str, terms: frozenset[str]) -> list[Token]:
        """The tokens of `text` whose term is among `terms`: what `tokens` gives, without making the others."""
        found: list[Token] = []
        for match in word_pattern(text, self._apostrophe_joins).finditer(text):
            if match.re.groups and match.lastgroup == "cjk":
                made = _cjk_tokens(match.group(), match.start())
            else:
                surface = match.group()
                term, inner = self._surfaces.get(surface) or self._analyze_surface(surface)
                if term not in terms and terms.isdisjoint(inner):
                    continue
                made = self._word_tokens(surface, match.start())
            found += [token for token in made if token.term in terms]
        return found

    def is_stopword(self, term: str) -> bool:
        """Whether the term is on the language's stop list."""
        return term in self.stopword_terms

    def _analyzed(self, surfaces: list[str]) -> list[tuple[str, tuple[str, ...]]]:
        known = self._surfaces
        try:
            return [known[surface] for surface in surfaces]
        except KeyError:
            return [known.get(surface) or self._analyze_surface(surface) for surface in surfaces]

    def _word_tokens(self, surface: str, offset: int) -> list[Token]:
        term, inner = self._surfaces.get(surface) or self._analyze_surface(surface)
        tokens = [Token(term, offset, offset + len(surface))]
        if inner:
            spans = word_parts(surface)
            tokens += [
                Token(part, offset + start, offset + end, part=True)
                for part, (start, end) in zip(inner, spans, strict=True)
            ]
        return tokens

    def _analyze_surface(self, surface: str) -> tuple[str, tuple[str, ...]]:
        inner = tuple(self._plain_term(surface[start:end]) for start, end in word_parts(surface))
        folded = _fold(surface)
        term = self._plain_term(surface) if folded.replace("'", "").isalnum() else folded[:MAX_TERM_CHARACTERS]
        if len(self._surfaces) < _CACHE_LIMIT:
            self._surfaces[surface] = (term, inner)
        return term, inner

    def _plain_term(self, surface: str) -> str:
        folded = _fold(surface)
        stem = self._stems.get(folded)
        if stem is None:
            with self._stemming:  # a Snowball stemmer works on its own attributes
                stem = self._stemmer.stemWord(folded)[:MAX_TERM_CHARACTERS] or folded[:MAX_TERM_CHARACTERS]
            if len(self._stems) < _CACHE_LIMIT:
                self._stems[folded] = stem
        return stem


def _fold(surface: str) -> str:
    """NFKC, casefolded, without the white space that some compatibility forms expand to."""
    if surface.isascii():
        return surface.lower()
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", surface).casefold())
    return "".join(folded.replace("\u2019", "'").split()) or surface


def _cjk_tokens(run: str, offset: int) -> list[Token]:
    found = [(match.start() + offset, match.end() + offset) for match in CJK_CHARACTER.finditer(run)]
    characters = [_fold(run[start - offset : end - offset]) for start, end in found]
    if len(found) == 1:
        return [Token(characters[0], *found[0]), Token(characters[0], *found[0], part=True)]
    pairs = [Token(characters[i] + characters[i + 1], found[i][0], found[i + 1][1]) for i in range(len(found) - 1)]
    singles = [
        Token(character, *span, part=True, redundant=True) for character, span in zip(characters, found, strict=True)
    ]
    return pairs + singles


def _load_stemmer(language: str) -> _Stemmer:
    # The package's own `stemmer()` imports every language; one module is enough.
    try:
        module = importlib.import_module(f"snowballstemmer.{language}_stemmer")
    except ModuleNotFoundError as error:
        raise InvalidSetting(
            f"there is no stemmer for the language {language!r}",
            "use a Snowball language in English and lower case, for example english, german, french",
        ) from error
    stemmer: _Stemmer = getattr(module, f"{language.capitalize()}Stemmer")()
    return stemmer


@cache
def analyzer(language: str = "english") -> Analyzer:
    """The shared analyser of a language, so that its caches are warm."""
    return Analyzer(language)
