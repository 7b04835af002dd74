"""One implementation of every question: a flat request in, the envelope out.

The command line's `--json`, the HTTP API and every other interface go through here, so they cannot disagree. A
question is a Pydantic model (`questions.py`); each function takes an open project and a question.
"""
