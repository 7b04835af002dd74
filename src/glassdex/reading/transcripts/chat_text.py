"""What a program wrote for programs, as people read it: arguments of calls, content in parts, titles."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import PurePosixPath

from glassdex.model import Json
from glassdex.redaction import redact

_TITLE_CHARACTERS = 80
_BASE64_CHARACTERS = 1024
_UNWRITABLE = re.compile("[\0\ud800-\udfff]")
_DATA_URL = re.compile(r"data:[\w.+/;=-]{0,100};base64,[A-Za-z0-9+/=_-]*")
_NO_BASE64 = re.compile(r"[^A-Za-z0-9+/]")
_BASE64 = re.compile(rf"[A-Za-z0-9+/]{{{_BASE64_CHARACTERS},}}={{0,2}}")
_LEFT_OUT = "[base64 left out]"
_MEDIA = ("image", "audio", "video", "file", "document")
_COMMAND_KEYS = frozenset({"command", "cmd", "argv"})
_SHELLS = frozenset({"bash", "sh", "zsh", "dash", "fish", "powershell", "pwsh", "cmd"})
_SHELL_OPTIONS = frozenset({"-c", "-lc", "-ilc", "-command", "/c"})


def text_of(value: Json) -> str:
    """`value` where it is a string, fit to be written anywhere and without base64; "" where it is something else."""
    return clean(value) if isinstance(value, str) else ""


def clean(text: str) -> str:
    """`text` without what no index may hold: half pairs of surrogates and NULs (as U+FFFD), base64."""
    if not text.isascii() or "\0" in text:
        text = _UNWRITABLE.sub("\ufffd", text)
    if ";base64," in text:
        text = _DATA_URL.sub(_LEFT_OUT, text)
    return _BASE64.sub(_without_base64, text) if _may_hold_base64(text) else text


def title_of(text: str) -> str:
    """The beginning of a prompt, on one line. Secrets go first: half of one, cut off, would not be known as one."""
    line = " ".join(redact(text).text[: 20 * _TITLE_CHARACTERS].split())
    return line if len(line) <= _TITLE_CHARACTERS else line[: _TITLE_CHARACTERS - 1].rstrip() + "…"


def decoded(text: str) -> Json:
    """The object or list that `text` is as JSON; None where it is neither."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        value: Json = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    return value


def arguments_text(value: Json) -> str:
    """The arguments of a call, of JSON or as the string of it: `key: value` lines; a command as its shell line."""
    if isinstance(value, str):
        inner = decoded(value)
        return arguments_text(inner) if isinstance(inner, dict) else clean(value)
    if not isinstance(value, dict):
        return _shown("", value)
    shown = ((clean(key), _shown(key, argument)) for key, argument in value.items())
    return "\n".join(f"{key}:\n{text}" if "\n" in text else f"{key}: {text}" for key, text in shown if text)


def part_text(part: Json) -> str:
    """What a part of a content says; nothing of images, files and whatever is encrypted."""
    if not isinstance(part, dict):
        return text_of(part)
    text = part.get("text")
    if isinstance(text, dict):  # OpenAI's threads: {"type": "text", "text": {"value": "…", "annotations": […]}}
        text = text.get("value")
    return text_of(text) or text_of(part.get("refusal"))


def joined_parts(content: Json) -> str:
    """All that a content says, be it a string, a part or a list of them; `[image]` where one of an image stands."""
    parts = content if isinstance(content, list) else [content]
    return "\n".join(filter(None, (part_text(part) or _media_label(part) for part in parts)))


def _media_label(part: Json) -> str:
    kind = part.get("type") if isinstance(part, dict) else None
    found = next((media for media in _MEDIA if media in kind), "") if isinstance(kind, str) else ""
    return f"[{found}]" if found else ""


def _may_hold_base64(text: str) -> bool:
    """Whether some aligned stretch has no other character: every run that is long enough holds a whole one."""
    step = _BASE64_CHARACTERS // 2
    return any(not _NO_BASE64.search(text, at, at + step) for at in range(0, len(text) - step + 1, step))


def _without_base64(run: re.Match[str]) -> str:
    found = run[0]
    is_base64 = any(map(str.isdigit, found)) and any(map(str.isupper, found)) and any(map(str.islower, found))
    return _LEFT_OUT if is_base64 else found


def _shown(key: str, value: Json) -> str:
    if isinstance(value, str):
        return clean(value)
    if value is None or value in ([], {}):
        return ""
    if isinstance(value, list) and all(isinstance(member, str) for member in value):
        words = [text_of(member) for member in value]
        return _shell_line(words) if key in _COMMAND_KEYS else ", ".join(words)
    try:
        return clean(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
    except (ValueError, RecursionError):
        return "…"


def _shell_line(words: list[str]) -> str:
    """`bash -lc LINE` is the line; any other command its words, quoted as a shell needs them."""
    if len(words) == 3 and words[1].lower() in _SHELL_OPTIONS:
        shell = PurePosixPath(words[0].replace("\\", "/")).name.lower().removesuffix(".exe")
        if shell in _SHELLS:
            return words[2]
    return shlex.join(words)
