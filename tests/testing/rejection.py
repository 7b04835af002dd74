"""Runs a conformance suite without a test framework, to see which of its tests an implementation fails."""

from __future__ import annotations


def failed_tests(suite: object) -> set[str]:
    """Names of the suite's tests that raise `AssertionError`; any other error is the suite's own fault and escapes."""
    failed = set()
    for name in sorted(dir(suite)):
        if name.startswith("test_"):
            try:
                getattr(suite, name)()
            except AssertionError:
                failed.add(name)
    return failed
