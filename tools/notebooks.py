"""Run the notebooks of docs/tutorials and write into them what they print.

    python tools/notebooks.py [NOTEBOOK...]

Only text is kept, so that the files stay small and a difference can be read. A test runs the same
and compares; the site shows them as pages.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "docs" / "tutorials"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
NEW = "%reset -f"  # between notebooks that share a kernel


def execute(sources: list[str], folder: Path) -> list[list[Any]]:
    """Per cell what it shows, run by a kernel of this interpreter that compiles nothing.

    The kernel keeps its files in `folder`.
    """
    import nbclient
    import nbformat

    kernel = folder / "kernels" / "here"
    kernel.mkdir(parents=True)
    document = {
        "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": "here",
        "language": "python",
        "env": {"NUMBA_DISABLE_JIT": "1", "IPYTHONDIR": str(folder)},
    }
    (kernel / "kernel.json").write_text(json.dumps(document))

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(one) for one in sources])
    places = {"JUPYTER_PATH": str(folder), "JUPYTER_RUNTIME_DIR": str(folder)}
    before = {name: os.environ.get(name) for name in places}
    os.environ.update(places)
    try:
        nbclient.NotebookClient(notebook, kernel_name="here", timeout=600).execute()
    finally:
        for name, value in before.items():
            os.environ.pop(name, None) if value is None else os.environ.update({name: value})
    return [cell.outputs for cell in notebook.cells]


def code_of(path: Path) -> list[str]:
    """The code cells of a notebook."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def shown_in(path: Path) -> list[str]:
    """What the notebook says that its code cells print."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [text_of(cell["outputs"]) for cell in cells if cell["cell_type"] == "code"]


def text_of(outputs: list[Any]) -> str:
    """The text among the outputs of a cell: what was printed, and the value of its last line.

    What is printed comes in pieces where something else is shown meanwhile, such as progress.

    >>> value = {"output_type": "execute_result", "data": {"text/plain": "3", "text/html": "3"}}
    >>> pieces = [{"output_type": "stream", "name": "stdout", "text": text} for text in ("on", "e")]
    >>> text_of([*pieces, value])
    'one\\n3'
    """
    said = ""
    for one in outputs:
        if one["output_type"] in ("execute_result", "display_data"):
            begun = said and not said.endswith("\n")
            said += "\n" * bool(begun) + "".join(one["data"]["text/plain"])
        elif one["name"] == "stdout":
            said += "".join(one["text"])
    return said.rstrip("\n")


def run(paths: list[Path], folder: Path) -> dict[Path, list[str]]:
    """What the code cells of each notebook print, in one kernel that forgets in between."""
    sources: list[str] = []
    for path in paths:
        sources += [NEW, *code_of(path)]

    outputs = iter(execute(sources, folder))
    found: dict[Path, list[str]] = {}
    for path in paths:
        next(outputs)  # of NEW
        found[path] = [text_of(next(outputs)) for _ in code_of(path)]
    return found


def write(path: Path, printed: list[str]) -> None:
    """Put the outputs into the file."""
    document = json.loads(path.read_text(encoding="utf-8"))
    cells = [cell for cell in document["cells"] if cell["cell_type"] == "code"]
    for cell, text in zip(cells, printed, strict=True):
        stream = {"name": "stdout", "output_type": "stream"}
        lines = (text + "\n").splitlines(keepends=True)
        cell["outputs"] = [{**stream, "text": lines}] if text else []
    text = json.dumps(document, indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    chosen = [Path(name).resolve() for name in sys.argv[1:]] or NOTEBOOKS
    with tempfile.TemporaryDirectory() as place:
        for notebook, printed in run(chosen, Path(place)).items():
            write(notebook, printed)
            print(f"{notebook.name}: {len(printed)} cells")
