"""Build the wheel and the source distribution into dist/, and check them as a user would meet them.

    python tools/dist.py

Both are built in an environment of their own. The wheel must hold what the package needs and
nothing else, `twine check` must accept both, and in an empty environment, with nothing but the
wheel and its extras for Optuna and OpenFeature, the first snippet of each door of the README must
print what the page shows.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
DIST = ROOT / "dist"
PACKAGE = "factored_bandits"
NEEDED = ("py.typed", "report/html/templates/", "report/html/assets/")
# the doors of the README: Optuna, prompts, web page, paper
DOORS = (
    "README.md",
    "docs/how-to/optuna.md",
    "docs/how-to/judges.md",
    "docs/how-to/openfeature.md",
    "docs/explanation/paper.md",
)
EXTRAS = "optuna,openfeature"
# run by the empty environment: the first block of ```pycon of each page, as a doctest
FIRST_SNIPPETS = """
import doctest, pathlib, re, sys
import factored_bandits

if "site-packages" not in factored_bandits.__file__:
    sys.exit(f"not the installed wheel: {factored_bandits.__file__}")
for page in sys.argv[1:]:
    text = pathlib.Path(page).read_text(encoding="utf-8")
    block = re.search(r"^```pycon\\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)[1]
    test = doctest.DocTestParser().get_doctest(block, {}, page, page, 0)
    failed, tried = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test)
    if failed or not tried:
        sys.exit(f"{page}: the first snippet fails")
    print(f"{page}: {tried} lines print what the page shows")
"""


def run(*command: str | Path, folder: Path = ROOT, silent: bool = False) -> None:
    """A command that must succeed; `silent`: what it prints is shown only if it does not."""
    words = [str(part) for part in command]
    done = subprocess.run(words, cwd=folder, check=False, capture_output=silent, text=True)
    if done.returncode:
        raise SystemExit(f"{done.stdout or ''}{done.stderr or ''}failed: {' '.join(words)}")


def missing(names: list[str]) -> list[str]:
    """What a wheel with these files lacks.

    >>> missing(["factored_bandits/py.typed", "factored_bandits/report/html/assets/report.css"])
    ['report/html/templates/']
    """
    inside = [name.removeprefix(f"{PACKAGE}/") for name in names]
    return [need for need in NEEDED if not any(name.startswith(need) for name in inside)]


def strays(names: list[str]) -> list[str]:
    """What belongs into no wheel.

    >>> strays(["factored_bandits/errors.py", "tests/problems.py", "factored_bandits/x.pyc"])
    ['tests/problems.py', 'factored_bandits/x.pyc']
    """
    own = (f"{PACKAGE}/", f"{PACKAGE}-")
    return [name for name in names if not name.startswith(own) or name.endswith(".pyc")]


def check_contents(wheel: Path) -> None:
    """The wheel holds what is needed, and nothing else."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    if missing(names) or strays(names):
        raise SystemExit(f"{wheel.name}: lacks {missing(names)}, should not hold {strays(names)}")
    print(f"{wheel.name}: {len(names)} files, {wheel.stat().st_size / 1024:.0f} KiB")


def try_out(wheel: Path) -> None:
    """Install it into an empty environment and run what the doors show first."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        run(sys.executable, "-m", "venv", place / "empty")
        python = place / "empty" / "bin" / "python"
        if not python.exists():  # Windows
            python = place / "empty" / "Scripts" / "python.exe"

        constraints = ROOT / "constraints.txt"
        run(python, "-m", "pip", "install", "-qq", "-c", constraints, f"{wheel}[{EXTRAS}]")
        pages = [ROOT / page for page in DOORS]
        run(python, "-c", FIRST_SNIPPETS, *pages, folder=place)


def main() -> None:
    """Build, look inside, check, install, run."""
    shutil.rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", DIST, silent=True)
    (wheel,) = DIST.glob("*.whl")
    (source,) = DIST.glob("*.tar.gz")

    check_contents(wheel)
    run(sys.executable, "-m", "twine", "check", "--strict", wheel, source)
    try_out(wheel)
    print(f"{wheel.relative_to(ROOT)} and {source.relative_to(ROOT)} are ready")


if __name__ == "__main__":
    main()
