"""What MkDocs is told of this repository: pages that lie outside docs/, or are a folder, and links to them.

The links in docs/ are those of the repository, so they also work where somebody reads the files themselves.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
CHANGES = "CHANGELOG.md"
SCHEMAS = "schema/index.md"
LINKS = {f"](../{CHANGES})": f"]({CHANGES})", "](schema)": f"]({SCHEMAS})", "](schema/)": f"]({SCHEMAS})"}


def on_files(files: Any, config: Any) -> Any:  # noqa: ANN401 - MkDocs is there only where the site is made
    """Adds the changelog, and a list of the schemas."""
    from mkdocs.structure.files import File

    changes = (ROOT / CHANGES).read_text(encoding="utf-8").replace("](docs/", "](")
    files.append(File.generated(config, CHANGES, content=changes))
    files.append(File.generated(config, SCHEMAS, content=_schemas()))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """Turns links of the repository into those of the site."""
    for written, there in LINKS.items():
        markdown = markdown.replace(written, there)
    return markdown


def _schemas() -> str:
    names = sorted(path.name for path in (ROOT / "docs/schema").glob("*.json"))
    listed = "\n".join(f"- [{name.removesuffix('.json')}]({name})" for name in names)
    return f"# Schemas\n\nJSON Schema of what `--json`, the HTTP API and the MCP server answer.\n\n{listed}\n"
