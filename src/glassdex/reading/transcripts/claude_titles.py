"""What a conversation of Claude Code is called."""

from __future__ import annotations

from collections import deque

from glassdex.model import Json
from glassdex.reading.transcripts.claude_text import without_wrappers
from glassdex.reading.transcripts.claude_values import id_of, strings_of, text_of
from glassdex.reading.transcripts.protocol import ConversationFacts
from glassdex.redaction import redact

_TITLE_CHARACTERS = 80
_MOST_TITLE_CHARACTERS = 200
_MOST_READ_CHARACTERS = 2_000
_MOST_LEAVES = 32
_NO_TITLE, _STRAY_SUMMARY, _COMMAND, _PROMPT, _SUMMARY, _AI_TITLE, _CUSTOM_TITLE = range(7)


class Titles:
    """The best title so far: given by the user, by the program, a summary of this conversation, its first prompt.

    A record of type `summary` tells of the conversation that its leaf belongs to. Old versions wrote those of other
    conversations into a new file, so one counts only if the leaf is among the records next to it or comes later.
    """

    def __init__(self, facts: ConversationFacts, state: dict[str, Json]) -> None:
        self._facts = facts
        rank = state.get("rank")
        self._rank = rank if isinstance(rank, int) else _NO_TITLE
        recent = state.get("recent")
        self._recent = deque(filter(None, map(id_of, recent if isinstance(recent, list) else ())), maxlen=_MOST_LEAVES)
        self._awaited = strings_of(state.get("awaited"))

    def state(self) -> Json:
        """What the titles of a grown file must know besides the title so far."""
        return {"rank": self._rank, "recent": list(self._recent), "awaited": dict(self._awaited)}

    def learn(self, record: dict[str, Json], uuid: str) -> None:
        """Takes the title that a record of that uuid gives, if it gives one."""
        if uuid:
            self._recent.append(uuid)
            if uuid in self._awaited:
                self._offer(_SUMMARY, self._awaited.pop(uuid))
            return
        match record.get("type"):
            case "custom-title":
                self._offer(_CUSTOM_TITLE, text_of(record.get("customTitle")))
            case "ai-title":
                self._offer(_AI_TITLE, text_of(record.get("aiTitle")))
            case "summary":
                self._learn_summary(text_of(record.get("summary")), id_of(record.get("leafUuid")))

    def offer_prompt(self, text: str) -> None:
        """Takes what the user said as a title if nothing better is known; a bare command only until there are words."""
        if self._rank < _PROMPT:
            bare = text.startswith("/") and len(text.split(None, 1)) == 1
            self._offer(_COMMAND if bare else _PROMPT, without_wrappers(text), _TITLE_CHARACTERS)

    def _learn_summary(self, summary: str, leaf: str) -> None:
        if leaf in self._recent:
            self._offer(_SUMMARY, summary)
            return
        self._offer(_STRAY_SUMMARY, summary)
        if leaf:
            self._awaited[leaf] = redact(summary).text[:_MOST_TITLE_CHARACTERS]
            if len(self._awaited) > _MOST_LEAVES:
                del self._awaited[next(iter(self._awaited))]

    def _offer(self, rank: int, text: str, most: int = _MOST_TITLE_CHARACTERS) -> None:
        """Takes the text if it ranks higher; of given titles and summaries the newest.

        Secrets go before the title is cut: half of one would not be known as one.
        """
        if rank < self._rank or (rank == self._rank and rank < _SUMMARY):
            return
        line = " ".join(redact(text).text[:_MOST_READ_CHARACTERS].split())
        if line:
            self._rank = rank
            self._facts.title = line if len(line) <= most else f"{line[: most - 1].rstrip()}…"
