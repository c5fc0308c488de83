"""Write into the pages what their examples print now.

    python tools/refresh_pages.py [PAGE...]

The tests fail when a page shows an output that is no longer printed. After a change on purpose this
program renews the outputs: of `>>>` examples, of ```console blocks, and the copies of examples in
```python blocks. Read the difference before you commit it: it is what a reader would notice.
"""

from __future__ import annotations

import difflib
import doctest
import io
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
BLOCK = r"^```{language}\n(?P<text>.*?)^```$"


class Recorder(doctest.DocTestRunner):
    """Remembers what was printed where something else was expected."""

    def __init__(self) -> None:
        super().__init__(verbose=False)
        self.printed: list[tuple[doctest.Example, str]] = []

    def report_start(self, out, test, example):
        """Say nothing."""

    def report_success(self, out, test, example, got):
        """Renew the alignment of a table that is only set differently."""
        ellipsis = example.options.get(doctest.ELLIPSIS)
        if got != example.want and got.count("\n") == example.want.count("\n") and not ellipsis:
            self.printed.append((example, got))

    def report_failure(self, out, test, example, got):
        """Remember the new output."""
        self.printed.append((example, got))

    def report_unexpected_exception(self, out, test, example, exc_info):
        """An example that raises is for a person to look at."""
        raise exc_info[1]


def renew_outputs(text: str, name: str) -> str:
    """The text of a page with the outputs of its `>>>` examples as they are now.

    >>> renew_outputs("See:\\n\\n>>> 1 + 1\\n3\\n\\nThat is all.\\n", "page")
    'See:\\n\\n>>> 1 + 1\\n2\\n\\nThat is all.\\n'
    """
    test = doctest.DocTestParser().get_doctest(text, {"__name__": "__main__"}, name, name, 0)
    recorder = Recorder()
    for example in test.examples:
        example.options = {doctest.NORMALIZE_WHITESPACE: True, **example.options}
    recorder.run(test, out=io.StringIO().write, clear_globs=False)

    lines = text.splitlines(keepends=True)
    for example, got in reversed(recorder.printed):
        first = example.lineno + example.source.count("\n")
        last = first + example.want.count("\n")
        shown = got.replace("\n\n", "\n<BLANKLINE>\n").splitlines(keepends=True)
        lines[first:last] = [" " * example.indent + line for line in shown]
    return "".join(lines)


def renew_console(text: str) -> str:
    """The text of a page with what its example programs print now."""

    def run(block: re.Match[str]) -> str:
        command = block["text"].partition("\n")[0]
        program = command.removeprefix("$ python ")
        done = subprocess.run(
            [sys.executable, program], cwd=ROOT, capture_output=True, text=True, check=True
        )
        return f"```console\n{command}\n{done.stdout}```"

    return re.sub(BLOCK.format(language="console"), run, text, flags=re.DOTALL | re.MULTILINE)


def renew_programs(text: str) -> str:
    """The text of a page with its copies of example programs as they are now."""
    programs = [path.read_text(encoding="utf-8") for path in (ROOT / "examples").glob("*.py")]

    def copy(block: re.Match[str]) -> str:
        [nearest] = difflib.get_close_matches(block["text"], programs, n=1, cutoff=0.3)
        return f"```python\n{nearest}```"

    return re.sub(BLOCK.format(language="python"), copy, text, flags=re.DOTALL | re.MULTILINE)


def main() -> None:
    """Renew the pages named, or all."""
    pages = [Path(name) for name in sys.argv[1:]]
    for page in pages or [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        before = page.read_text(encoding="utf-8")
        after = renew_console(renew_programs(renew_outputs(before, page.name)))
        if after != before:
            page.write_text(after, encoding="utf-8")
            sys.stdout.write(f"{page}\n")


if __name__ == "__main__":
    main()
