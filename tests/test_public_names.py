"""The names and codes that others rely on; changing one of them is a decision, not an accident."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator

import pytest

import glassdex
from glassdex import errors

NAMES = [
    "Context",
    "ContextPassage",
    "DocumentChunks",
    "DocumentLinks",
    "Embedder",
    "EmbeddingIdentity",
    "Execution",
    "GlassdexError",
    "IndexReport",
    "Match",
    "Misses",
    "Neighbors",
    "Passage",
    "Project",
    "Projects",
    "Result",
    "SearchRequest",
    "SessionList",
    "SessionMessage",
    "SessionPage",
    "SeveralExecution",
    "Status",
    "Verdict",
    "WhyNot",
]
UNDRAWN_CODES = {
    "GlassdexError": "error",
    "InputError": "invalid_input",
    "ReadError": "read_failed",
    "UnavailableError": "unavailable",
}
"""Codes of the inner nodes, where the drawing has a sentence instead."""
EXIT_CODES = {"InputError": 2, "UnavailableError": 3}


def drawn_tree() -> Iterator[tuple[str, str | None, str]]:
    """(class, parent, what stands beside it) for each line of the drawing in the docstring."""
    assert errors.__doc__
    ancestors: list[str] = []
    for line in errors.__doc__.splitlines():
        found = re.fullmatch(r"([│├└─ ]*)([A-Z]\w+)(?: {2,}(\S.*))?", line)
        if found is None or not (found[1] or found[2] == "GlassdexError"):
            continue
        depth = len(found[1]) // 4
        del ancestors[depth:]
        yield found[2], ancestors[-1] if ancestors else None, found[3] or ""
        ancestors.append(found[2])


def real_tree(base: type[errors.GlassdexError] = errors.GlassdexError) -> Iterator[type[errors.GlassdexError]]:
    yield base
    for child in base.__subclasses__():
        if child.__module__ == errors.__name__:
            yield from real_tree(child)


def test_the_exported_names() -> None:
    assert sorted(glassdex.__all__) == NAMES
    for name in NAMES:
        assert getattr(glassdex, name).__name__ == name


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match="module 'glassdex' has no attribute 'Nonsense'"):
        getattr(glassdex, "Nonsense")  # noqa: B009


def test_importing_the_package_is_cheap() -> None:
    program = "import sys, glassdex; print(sorted({'numpy', 'onnxruntime', 'apsw', 'pydantic'} & set(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


def test_the_drawn_errors_are_the_real_ones() -> None:
    drawn = {name: parent for name, parent, _ in drawn_tree()}
    real = {
        error.__name__: None if error is errors.GlassdexError else error.__bases__[0].__name__ for error in real_tree()
    }
    assert drawn == real


def test_the_drawn_codes_are_the_real_ones() -> None:
    drawn = {name: UNDRAWN_CODES.get(name, beside) for name, _, beside in drawn_tree()}
    assert drawn == {error.__name__: error.code for error in real_tree()}


def test_codes_are_distinct_and_fit_for_programs() -> None:
    codes = [error.code for error in real_tree()]
    assert len(set(codes)) == len(codes)
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", code) for code in codes)


def test_the_drawn_exit_codes() -> None:
    beside = {name: text for name, _, text in drawn_tree()}
    for name, code in EXIT_CODES.items():
        assert f"(exit {code})" in beside[name]


def test_an_error_carries_what_a_person_and_a_program_need() -> None:
    error = errors.StoreLocked("it is busy", "wait", ["a"])
    assert (str(error), error.message, error.suggestion, error.candidates) == (
        "it is busy",
        "it is busy",
        "wait",
        ("a",),
    )
