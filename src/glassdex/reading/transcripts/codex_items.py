"""Codex's response items, what the model was given and gave → turns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from glassdex.model import Json
from glassdex.reading.transcripts.chat_text import arguments_text, decoded, joined_parts, part_text, text_of
from glassdex.reading.transcripts.codex_frame import Frame
from glassdex.reading.transcripts.protocol import Turn

Members = dict[str, Json]

_OUTPUT_WRAPPER = frozenset({"output", "metadata"})
_EXIT_CODE = re.compile(
    r"(?:Chunk ID: .*\n)?(?:Wall time: .*\n)?(?:Exit code: |Process exited with code )(-?\d+)\s*(?:\n|\Z)"
)
_SILENT = frozenset(
    {"ghost_snapshot", "compaction", "compaction_summary", "compaction_trigger", "context_compaction",
     "additional_tools", "other"}
)  # fmt: skip


def item_turns(item: Members, frame: Frame) -> Iterator[Turn]:
    """The turns of one item; of an unknown one what looks like a message, a call or a result."""
    kind = text_of(item.get("type"))
    if kind in _SILENT:
        return
    handler = _ITEMS.get(kind)
    if handler is None:
        handler = _call if kind.endswith("_call") else _result if kind.endswith("_output") else _message
    yield from handler(item, frame)


def output_text(output: Json) -> tuple[str, bool]:
    """What a tool gave, once and without its JSON wrapping, and whether that reports a failure."""
    if isinstance(output, str):
        inner = decoded(output)
        if _is_wrapper(inner) or _is_parts(inner):
            return output_text(inner)
    if not isinstance(output, dict):
        text = joined_parts(output)
        return text, _tells_failure(text)
    inside = next((output[key] for key in ("output", "content", "content_items", "body") if output.get(key)), output)
    text = joined_parts(inside)
    if not text and "type" not in output:
        text = arguments_text(output)
    return text, _tells_failure(text) or _is_failure(output)


def search_results_text(results: Json) -> str:
    """Title, address and excerpt of each thing that a search found."""
    found = results if isinstance(results, list) else []
    texts = (
        "\n".join(filter(None, (text_of(result.get(key)) for key in ("title", "url", "snippet"))))
        for result in found
        if isinstance(result, dict)
    )
    return "\n\n".join(filter(None, texts))


def _message(item: Members, frame: Frame) -> Iterator[Turn]:
    content = item.get("content")
    role = text_of(item.get("role"))
    for block, part in enumerate(content if isinstance(content, list) else [content]):
        text = part_text(part)
        if role == "user":
            yield frame.user(text, block)
        elif role == "assistant":
            yield frame.turn("assistant", text, block)
        elif role == "tool":
            yield frame.turn("tool_result", text, block)
        else:
            yield frame.turn("system", text, block, speaker="" if role in ("system", "developer") else role)


def _reasoning(item: Members, frame: Frame) -> Iterator[Turn]:
    """The summary, and the thoughts themselves where they are not encrypted."""
    parts = [part for key in ("summary", "content") for part in _listed(item.get(key))]
    for block, part in enumerate(parts):
        yield frame.turn("thinking", part_text(part), block)


def _agent_message(item: Members, frame: Frame) -> Iterator[Turn]:
    for block, part in enumerate(_listed(item.get("content"))):
        yield frame.turn("assistant", part_text(part), block, speaker=text_of(item.get("author")))


def _call(item: Members, frame: Frame) -> Iterator[Turn]:
    name, namespace = text_of(item.get("name")), text_of(item.get("namespace"))
    if namespace and name:
        name = f"{namespace}{name}" if namespace.endswith("_") else f"{namespace}.{name}"
    kind = text_of(item.get("type")).removesuffix("_call")
    arguments = next((item[key] for key in ("arguments", "input") if item.get(key)), None)
    yield frame.call(item.get("call_id"), name or kind, arguments_text(arguments))


def _local_shell_call(item: Members, frame: Frame) -> Iterator[Turn]:
    yield frame.call(
        item.get("call_id"), "local_shell", _action_text(item.get("action"), ("command", "working_directory"))
    )


def _web_search_call(item: Members, frame: Frame) -> Iterator[Turn]:
    keys = ("query", "queries", "url", "pattern")
    yield frame.call(item.get("call_id"), "web_search", _action_text(item.get("action"), keys))


def _image_generation_call(item: Members, frame: Frame) -> Iterator[Turn]:
    yield frame.call(item.get("call_id"), "image_generation", text_of(item.get("revised_prompt")) or "[image]")


def _result(item: Members, frame: Frame) -> Iterator[Turn]:
    text, error = output_text(item.get("output"))
    yield frame.result(item.get("call_id"), text, error=error)


def _tool_search_output(item: Members, frame: Frame) -> Iterator[Turn]:
    lines = [
        ": ".join(filter(None, (text_of(tool.get("name")), text_of(tool.get("description")))))
        for group in _listed(item.get("tools"))
        if isinstance(group, dict)
        for tool in [group, *_listed(group.get("tools"))]
        if isinstance(tool, dict)
    ]
    yield frame.result(item.get("call_id"), "\n".join(filter(None, lines)))


_ITEMS: dict[str, Callable[[Members, Frame], Iterator[Turn]]] = {
    "message": _message,
    "reasoning": _reasoning,
    "agent_message": _agent_message,
    "function_call": _call,
    "custom_tool_call": _call,
    "tool_search_call": _call,
    "local_shell_call": _local_shell_call,
    "web_search_call": _web_search_call,
    "image_generation_call": _image_generation_call,
    "function_call_output": _result,
    "custom_tool_call_output": _result,
    "tool_search_output": _tool_search_output,
}


def _action_text(action: Json, keys: tuple[str, ...]) -> str:
    """The members of an action that say something; a list of queries that only repeats the one query does not."""
    members = action if isinstance(action, dict) else {}
    if members.get("queries") == [members.get("query")]:
        keys = tuple(key for key in keys if key != "queries")
    return arguments_text({key: members[key] for key in keys if key in members})


def _is_wrapper(value: Json) -> bool:
    """Whether the value is what Codex puts around an output, not an output that happens to be JSON."""
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("output"), str) and value.keys() <= _OUTPUT_WRAPPER:
        return True
    has_verdict = any(isinstance(value.get(key), bool) for key in ("success", "isError", "is_error"))
    return has_verdict and (isinstance(value.get("content"), str) or _is_parts(value.get("content")))


def _is_parts(value: Json) -> bool:
    """Whether the value is a list of content parts, as the protocol of tools has them."""
    if not isinstance(value, list) or not value:
        return False
    kinds = ("text", "input_text", "output_text", "image", "input_image", "audio", "resource", "resource_link")
    return all(isinstance(part, dict) and part.get("type") in kinds for part in value)


def _is_failure(output: Members) -> bool:
    metadata = output.get("metadata")
    exit_code = metadata.get("exit_code") if isinstance(metadata, dict) else None
    failed = isinstance(exit_code, int) and exit_code != 0
    return failed or output.get("success") is False or output.get("isError") is True or output.get("is_error") is True


def _tells_failure(text: str) -> bool:
    """Whether the text begins with an exit code other than 0, as newer versions tell the model."""
    found = _EXIT_CODE.match(text)
    return found is not None and bool(found[1].strip("-0"))


def _listed(value: Json) -> list[Json]:
    return value if isinstance(value, list) else [] if value is None else [value]
