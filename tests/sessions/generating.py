"""Transcripts that go wrong in the ways real ones do, and what is said in them, kept apart from any reader."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from hypothesis import strategies as st

from tests.sessions.writing import (
    Record,
    claude,
    codex_compaction,
    codex_event,
    codex_head,
    codex_item,
    line,
    uid,
    word,
)

SESSION = uid("the session")
Shape = Literal["claude", "codex", "codex with ids"]
TIMES = st.one_of(
    st.sampled_from([0.0, 1.0, 1.0, 5.0, -3.0]),
    st.sampled_from(
        [None, "", "yesterday", "2026-13-45T99:00:00Z", "2031-01-01T00:00:00+09:00", "9999-12-31T23:59:59Z"]
    ),
)


@dataclass(frozen=True)
class Told:
    """A message as it must be found. `uuid` is "" where the program wrote none."""

    uuid: str
    role: str
    text: str


@dataclass(frozen=True)
class Transcript:
    """The lines of a file, without their ends; and the messages that they tell, in order, each one once."""

    shape: Shape
    lines: tuple[bytes, ...] = ()
    told: tuple[Told, ...] = ()
    records: tuple[Record, ...] = field(default=(), repr=False)
    """Those that tell `told`, one each."""
    unfinished: bytes = b""

    @property
    def name(self) -> str:
        return f"{SESSION}.jsonl" if self.shape == "claude" else f"rollout-2026-11-30T10-00-00-{SESSION}.jsonl"

    @property
    def content(self) -> bytes:
        return b"".join(each + b"\n" for each in self.lines) + self.unfinished

    def noise(self, *more: bytes) -> Transcript:
        return replace(self, lines=(*self.lines, *more))

    def again(self, positions: Sequence[int]) -> Transcript:
        """History repeated by a compaction: nothing is said by that."""
        if self.shape == "claude":
            return self.noise(*(line(self.records[position]) for position in positions))
        return self.noise(line(codex_compaction([self.records[position] for position in positions])))

    def saying(self, role: str, text: str, at: float | str | None, uuid: str | None = None) -> Transcript:
        """One more message."""
        number = len(self.told)
        if self.shape == "claude":
            uuid = uuid or uid(("message", number))
            record = claude(0, text, session=SESSION, role=role, at=at) | {"uuid": uuid}
            if self.told:
                record["parentUuid"] = self.told[-1].uuid
            more = [record]
        else:
            ids = {"id": uuid or f"msg_{uid(number)}"} if self.shape == "codex with ids" else {}
            uuid = ids.get("id", "")
            record = codex_item(role, text, at, **ids)
            more = [record] if ids else [codex_event(role, text, at), record]
        return replace(
            self,
            lines=(*self.lines, *map(line, more)),
            told=(*self.told, Told(uuid, role, text)),
            records=(*self.records, record),
        )


def begun(shape: Shape) -> Transcript:
    """A file with nothing in it but what makes its program known."""
    head = {"type": "mode", "mode": "normal", "sessionId": SESSION} if shape == "claude" else codex_head(SESSION)
    return Transcript(shape, (line(head),))


WORDS = st.sampled_from(["harbour", "naïve 🛟 水", "line\u2028separated", "x" * 40])
NOISE = st.sampled_from(
    [
        b"",
        b"\0" * 7,
        b" \t ",
        b"{broken",
        b"17",
        b'"a string"',
        b"[1, [2]]",
        b'{"type": "never-seen", "payload": {"type": "nothing"}}',
        b"\xff\xfe not text",
    ]
)


@st.composite
def grown(draw: st.DrawFn, before: Transcript, least: int, most: int) -> Transcript:
    """A transcript with more at its end."""
    made = before
    for _ in range(draw(st.integers(least, most))):
        made = draw(_step(made))
    return made


@st.composite
def _step(draw: st.DrawFn, made: Transcript) -> Transcript:
    role = draw(st.sampled_from(["user", "assistant"]))
    at = draw(TIMES)
    text = f"{word(len(made.told))} {draw(WORDS)}"
    kinds = ["new", "new", "noise", "nuls before"]
    if made.told:
        kinds += ["replay", "resend"]
        kinds += ["other content"] if made.shape != "codex" else []
    match draw(st.sampled_from(kinds)):
        case "noise":
            return made.noise(draw(NOISE))
        case "nuls before":
            said = made.saying(role, text, at)
            return replace(said, lines=(*said.lines[:-1], b"\0\0\0" + said.lines[-1]))
        case "replay":
            first = draw(st.integers(0, len(made.told) - 1))
            last = draw(st.integers(first, len(made.told) - 1))
            return made.again(range(first, last + 1))
        case "resend":
            old = draw(st.sampled_from(made.told))
            return made.saying(old.role, old.text, at)
        case "other content":
            return made.saying(role, text, at, draw(st.sampled_from(made.told)).uuid)
        case _:
            return made.saying(role, text, at)


def cut_short(made: Transcript, record: Transcript, cut: int) -> Transcript:
    """With the beginning of a further line that is not written yet."""
    whole = record.lines[-1]
    return replace(made, unfinished=whole[: 1 + cut % (len(whole) - 1)])
