"""What all turns of one Codex record share, and whose words they are."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from glassdex.model import Json, Role
from glassdex.reading.transcripts.protocol import Channel, Turn

MOST_OPEN_CALLS = 1_000
"""Calls whose results may still come; of more, the oldest are forgotten."""
_TAGS = (
    "environment_context", "user_instructions", "permissions instructions", "turn_aborted", "INSTRUCTIONS",
    "skill", "skills_instructions", "apps_instructions", "plugins_instructions", "collaboration_mode",
    "personality_spec", "model_switch", "multi_agent_mode", "realtime_conversation", "subagent_notification",
    "user_shell_command", "user_action", "hook_prompt", "goal_context", "codex_internal_context", "token_budget",
    "current_time", "extension_context", "additional_context",
)  # fmt: skip
_PROGRAM = re.compile(
    rf"\s*(?:<(?:{'|'.join(_TAGS)})(?:\s[^<>]{{0,500}})?>"
    r"|# AGENTS\.md instructions\b|# Instructions from AGENTS\.md\b"
    r"|You were originally given instructions from a user over one or more turns\.)"
)
_SUMMARY = "Another language model started to solve this problem and produced a summary of its thinking process."
_IMAGE_LABEL = re.compile(r"\s*(?:<image(?:\s[^<>]*)?>|</image>)\s*")


@dataclass(frozen=True, slots=True)
class Frame:
    """Of a record, or of one item of a replayed history: when it was written, by which name, on which channel.

    `calls` names the tool of each call whose result has not come yet, by the call's id.
    """

    calls: dict[str, str] = field(default_factory=dict)
    sent_at: float | None = None
    sidechain: bool = False
    channel: Channel = "own"
    uuid: str = ""

    def turn(
        self,
        role: Role,
        text: str,
        block: int = 0,
        *,
        speaker: str = "",
        tool: str = "",
        injected: bool = False,
        error: bool = False,
    ) -> Turn:
        """A turn of this record; its texts are cleaned already."""
        return Turn(
            role, text, self.uuid, block, "", self.sent_at, speaker, tool,
            injected or role == "system", self.sidechain, error, self.channel,
        )  # fmt: skip

    def user(self, text: str, block: int = 0, *, injected: bool = False) -> Turn:
        """What stands as the user's: their words, or what the program put there; none for the label of an image."""
        if text.startswith(_SUMMARY):
            return self.turn("summary", text, block)
        if _IMAGE_LABEL.fullmatch(text):
            text = ""
        return self.turn("user", text, block, injected=injected or _PROGRAM.match(text) is not None)

    def call(self, call_id: Json, tool: str, text: str) -> Turn:
        """A call of a tool, which its result will not name."""
        if isinstance(call_id, str) and call_id and tool:
            self.calls[call_id] = tool
            if len(self.calls) > MOST_OPEN_CALLS:
                del self.calls[next(iter(self.calls))]
        return self.turn("tool_call", text if text.strip() else tool, tool=tool)

    def result(self, call_id: Json, text: str, *, error: bool = False, tool: str = "") -> Turn:
        """What a tool gave, by the name that its call had."""
        called = self.calls.pop(call_id, "") if isinstance(call_id, str) else ""
        return self.turn("tool_result", text, tool=tool or called, error=error)
