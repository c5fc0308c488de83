"""For the site only: a page of examples, plain names for links that lead to no page, a home page
without a menu beside it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
OUTSIDE = re.compile(r"\[([^\]]+)\]\((?:\.\./)+(examples|tests)(/[\w./-]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    """Add a page with every example, in full."""
    parts = ["# Examples", "Programs that run as they are; `make test` runs each of them."]
    for path in sorted((ROOT / "examples").glob("*.py")):
        parts.append(f"## {path.name}\n\n```python\n{path.read_text(encoding='utf-8')}```")
    files.append(File.generated(config, "examples.md", content="\n\n".join(parts) + "\n"))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """A link to an example leads to the page of examples; one to the tests is only a name."""
    if page.is_homepage:
        page.meta["hide"] = ["navigation", "toc"]  # the page is a menu itself

    up = "../" * page.file.src_uri.count("/")

    def link(match: re.Match[str]) -> str:
        text, folder, file = match[1], match[2], match[3] or ""
        if folder == "tests":
            return f"`{text}`"
        anchor = "#" + Path(file).name.replace(".", "") if file else ""
        return f"[{text}]({up}examples.md{anchor})"

    return OUTSIDE.sub(link, markdown)
