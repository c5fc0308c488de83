"""For the site only: a page of examples, a page per notebook, plain names for links that lead to no
page, a home page without a menu beside it.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
DIRECTIVE = re.compile(r"^::: (factored_bandits\.\S+)$", re.MULTILINE)
OUTSIDE = re.compile(r"\[([^\]]+)\]\((?:\.\./)+(examples|tests)(/[\w./-]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    """Add a page with every example, in full, and one for each notebook."""
    parts = ["# Examples", "Programs that run as they are; `make test` runs each of them."]
    for path in sorted((ROOT / "examples").glob("*.py")):
        parts.append(f"## {path.name}\n\n```python\n{path.read_text(encoding='utf-8')}```")
    files.append(File.generated(config, "examples.md", content="\n\n".join(parts) + "\n"))
    for path in sorted((ROOT / "docs" / "tutorials").glob("*.ipynb")):
        name = f"tutorials/{path.stem}.md"
        files.append(File.generated(config, name, content=_as_page(path)))
    return files


def _its_own_place(match: re.Match[str]) -> str:
    """By its full path, if there is a module of that name: otherwise the module would be shown."""
    found: Any = importlib.import_module("factored_bandits")
    for part in match[1].split(".")[1:]:
        name = f"{getattr(found, '__name__', '')}.{part}"
        found = getattr(found, part) if hasattr(found, part) else importlib.import_module(name)

    if not callable(found):
        return match[0]
    folder = found.__module__.rpartition(".")[0]
    alike = folder and importlib.util.find_spec(f"{folder}.{found.__qualname__}")
    return f"::: {found.__module__}.{found.__qualname__}" if alike else match[0]


def _as_page(path: Path) -> str:
    """A notebook with what it prints, as Markdown."""
    parts = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        text = "".join(cell["source"])
        parts.append(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
        for output in cell.get("outputs", ()):
            parts.append(f"```text\n{''.join(output['text']).rstrip()}\n```")
    parts.append(f"[This page as a notebook]({path.name})")
    return "\n\n".join(parts) + "\n"


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

    markdown = DIRECTIVE.sub(_its_own_place, markdown)
    # a link to a notebook leads to its page; the page itself leads to the file
    if not page.file.src_uri.startswith("tutorials/"):
        markdown = re.sub(r"(\]\((?:\.\./)*tutorials/[\w-]+)\.ipynb\)", r"\1.md)", markdown)
    return OUTSIDE.sub(link, markdown)
