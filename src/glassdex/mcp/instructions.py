"""What an agent is told of the server before it calls anything."""

from __future__ import annotations

INSTRUCTIONS = """\
Search the user's own notes, documents and conversations on this machine.
Begin with search. Fill document, page_from, page_to or sheet only when the user names them; leave all else out.
Every answer of search has a verdict: where it is neither ok nor weak, say that nothing was found instead of guessing.
Cite passages by their citation; open a pointer before quoting. Errors say what to do: correct the call, then repeat it.
"""
