"""Codex's events, what it showed its user → turns.

Most of them repeat a response item (an echo), or tell of what a response item has the result of (nothing: what the
model was given is the transcript). The others say something that stands nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from glassdex.model import Json
from glassdex.reading.transcripts.chat_text import joined_parts, text_of
from glassdex.reading.transcripts.codex_frame import Frame
from glassdex.reading.transcripts.codex_items import Members, search_results_text
from glassdex.reading.transcripts.protocol import Turn

_SILENT = frozenset(
    {
        *("token_count", "task_started", "turn_started", "turn_aborted", "context_compacted", "thread_rolled_back"),
        *("thread_settings_applied", "thread_goal_updated", "thread_name_updated", "session_configured", "turn_diff"),
        *("view_image_tool_call", "dynamic_tool_call_response", "plan_update", "agent_reasoning_section_break"),
        *("sub_agent_activity", "raw_response_item", "item_started", "shutdown_complete", "terminal_interaction"),
    }
)
_SILENT_ENDINGS = ("_begin", "_end", "_delta", "_request")


def event_turns(event: Members, frame: Frame) -> Iterator[Turn]:
    """The turns of one event; of an unknown one its message, as the program's."""
    kind = text_of(event.get("type"))
    handler = _EVENTS.get(kind)
    if handler is not None:
        yield from handler(event, frame)
    elif kind not in _SILENT and not kind.endswith(_SILENT_ENDINGS):
        yield frame.turn("system", text_of(event.get("message")) or text_of(event.get("text")))


def _user_message(event: Members, frame: Frame) -> Iterator[Turn]:
    is_context = event.get("kind") in ("environment_context", "user_instructions")  # as older versions say
    yield _echo(frame).user(text_of(event.get("message")), injected=is_context)


def _agent_message(event: Members, frame: Frame) -> Iterator[Turn]:
    yield _echo(frame).turn("assistant", text_of(event.get("message")))


def _reasoning(event: Members, frame: Frame) -> Iterator[Turn]:
    yield _echo(frame).turn("thinking", text_of(event.get("text")))


def _task_complete(event: Members, frame: Frame) -> Iterator[Turn]:
    """The last answer a third time, which a replay is: left out where it was said; and why the task failed."""
    yield replace(frame, channel="replay").turn("assistant", text_of(event.get("last_agent_message")))
    error = event.get("error")
    if isinstance(error, dict):
        yield frame.turn("system", text_of(error.get("message")), 1)


def _entered_review_mode(event: Members, frame: Frame) -> Iterator[Turn]:
    target = event.get("target")
    members = target if isinstance(target, dict) else {}
    keys = ("instructions", "title", "branch", "sha")
    texts = [*(text_of(members.get(key)) for key in keys), text_of(event.get("prompt"))]
    said = next(filter(None, texts), "") or text_of(event.get("user_facing_hint"))
    yield frame.turn("system", f"Review: {said}" if said else "")


def _exited_review_mode(event: Members, frame: Frame) -> Iterator[Turn]:
    output = event.get("review_output")
    members = output if isinstance(output, dict) else {}
    findings = members.get("findings")
    texts = [text_of(members.get("overall_explanation")), text_of(members.get("overall_correctness"))]
    texts += [_finding(finding) for finding in (findings if isinstance(findings, list) else [])]
    yield frame.turn("assistant", "\n\n".join(filter(None, texts)))


def _web_search_end(event: Members, frame: Frame) -> Iterator[Turn]:
    yield frame.turn("tool_result", search_results_text(event.get("results")), tool="web_search")


def _image_generation_end(event: Members, frame: Frame) -> Iterator[Turn]:
    text = text_of(event.get("revised_prompt")) or "[image]"
    yield _echo(frame).turn("tool_call", text, tool="image_generation")


def _guardian_assessment(event: Members, frame: Frame) -> Iterator[Turn]:
    yield frame.turn("system", text_of(event.get("rationale")), speaker="guardian")


def _item_completed(event: Members, frame: Frame) -> Iterator[Turn]:
    item = event.get("item")
    members = item if isinstance(item, dict) else {}
    echo = _echo(frame)
    match members.get("type"):
        case "UserMessage":
            yield echo.user("".join(filter(None, map(joined_parts, _texts(members.get("content"))))))
        case "AgentMessage":
            yield echo.turn("assistant", "".join(filter(None, map(joined_parts, _texts(members.get("content"))))))
        case "Plan":
            yield echo.turn("assistant", text_of(members.get("text")))
        case "Reasoning":
            thoughts = [text for key in ("summary_text", "raw_content") for text in _texts(members.get(key))]
            for block, thought in enumerate(thoughts):
                yield echo.turn("thinking", text_of(thought), block)
        case "Extension" | "WebSearch":
            yield echo.turn("tool_result", search_results_text(members.get("results")), tool="web_search")


_EVENTS: dict[str, Callable[[Members, Frame], Iterator[Turn]]] = {
    "user_message": _user_message,
    "agent_message": _agent_message,
    "agent_reasoning": _reasoning,
    "agent_reasoning_raw_content": _reasoning,
    "task_complete": _task_complete,
    "turn_complete": _task_complete,
    "entered_review_mode": _entered_review_mode,
    "exited_review_mode": _exited_review_mode,
    "web_search_end": _web_search_end,
    "image_generation_end": _image_generation_end,
    "guardian_assessment": _guardian_assessment,
    "item_completed": _item_completed,
}


def _echo(frame: Frame) -> Frame:
    return replace(frame, channel="echo")


def _texts(value: Json) -> list[Json]:
    """The parts that hold text; a label for an image would not stand in the item that this one repeats."""
    parts = value if isinstance(value, list) else []
    return [part for part in parts if not isinstance(part, dict) or isinstance(part.get("text"), str)]


def _finding(finding: Json) -> str:
    """A finding as a person would write it down: what, where, why."""
    if not isinstance(finding, dict):
        return ""
    location = finding.get("code_location")
    place = location if isinstance(location, dict) else {}
    lines = place.get("line_range")
    span = f":{lines.get('start')}-{lines.get('end')}" if isinstance(lines, dict) else ""
    path = text_of(place.get("absolute_file_path"))
    title, body = text_of(finding.get("title")), text_of(finding.get("body"))
    return "\n".join(filter(None, (title, f"{path}{span}" if path else "", body)))
