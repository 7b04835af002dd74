"""The Markdown reader keeps the `Reader` protocol."""

from __future__ import annotations

from collections.abc import Mapping

from glassdex.reading.markdown import MarkdownReader
from glassdex.reading.protocol import Reader
from glassdex.testing import ReaderConformance

NOTE = """\
---
title: Tide log
tags: [sea, harbour/log]
date: 2025-04-01
related: "[[Buoy seven]]"
---
# Tides

The tide turns at noon, see [[Buoy seven#drift|the buoy]] and [a page](page.md).

- [fact] The gauge ticks every six minutes #gauge (by Ines)
- measured_by [[Tide gauge]] (since May)

```python
# not a heading
```

| place | height |
|---|---|
| 港 | 2 m |

Café 🛟
"""


class TestMarkdownReader(ReaderConformance):
    def reader(self) -> Reader:
        return MarkdownReader()

    def samples(self) -> Mapping[str, bytes]:
        return {
            "log/tide.md": NOTE.encode(),
            "bom.md": b"\xef\xbb\xbf# Mark\n\nText",
            "windows.md": NOTE.replace("\n", "\r\n").encode(),
            "empty.md": b"",
            "odd.markdown": "a\u2028b\x0bc\x85d\n\n> quote\n\n1. one\n2. two\n".encode(),
        }
