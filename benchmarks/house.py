"""Figures of the house: how dense the lines are, how full the folders, how much one must read.

python benchmarks/house.py [FOLDER]     # the package; by default the one beside this file
"""

from __future__ import annotations

import ast
import io
import statistics
import sys
import tokenize
from collections import Counter
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "factored_bandits"
LAYOUT = {
    tokenize.NEWLINE,
    tokenize.NL,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
    tokenize.COMMENT,
}


def main(package: Path) -> None:
    files = sorted(package.rglob("*.py"))
    density(files)
    folders = Counter(path.parent for path in files)
    fullest = ", ".join(f"{path.name} {n}" for path, n in folders.most_common(3))
    print(
        f"files per folder         median {statistics.median(folders.values()):g}, most: {fullest}"
    )
    reading(package)


def density(files: list[Path]) -> None:
    """Tokens per line of code, assignments of several values at once, comments on own lines."""
    tokens = lines = comments = assignments = packed = 0
    for path in files:
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        documented = _docstring_lines(tree)
        per_line: Counter[int] = Counter()
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            row = token.start[0]
            if token.type == tokenize.COMMENT:
                comments += text.splitlines()[row - 1].lstrip().startswith("#")
            if token.type not in LAYOUT and row not in documented:
                per_line[row] += 1
        lines += len(per_line)
        tokens += sum(per_line.values())
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign):
                assignments += 1
                packed += isinstance(node.targets[0], ast.Tuple) and isinstance(
                    node.value, ast.Tuple
                )
    print(f"files, lines of code     {len(files)}, {lines:,}")
    print(f"tokens per line of code  {tokens / lines:.2f}")
    print(f"packed assignments       {packed / assignments:.1%}")
    print(f"comments on own lines    {comments / lines:.1%} of the lines of code")


def _docstring_lines(tree: ast.AST) -> set[int]:
    return {
        row
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        for row in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }


def reading(package: Path) -> None:
    """Lines to read for one policy: its file and every building block of policies behind it."""
    policies = package / "policies"
    skipped = {"__init__", "base", "notation", "_contract", "_notation", "_doubts", "certifying"}
    amounts = []
    for path in sorted(policies.rglob("*.py")):
        if "\nINFO = Info(" not in path.read_text(encoding="utf-8"):
            continue
        seen: set[Path] = set()
        waiting = [path]
        while waiting:
            module = waiting.pop()
            if module not in seen:
                seen.add(module)
                found = _blocks(module, package)
                waiting += [each for each in found if each.stem not in skipped]
        count = sum(len(each.read_text(encoding="utf-8").splitlines()) for each in seen)
        own = sum(
            len(each.read_text(encoding="utf-8").splitlines())
            for each in seen
            if each == path or (each.stem.startswith("_") and each.parent == path.parent)
        )
        amounts.append((count, len(seen), own, path.stem))
    for title, index in (("with every block", 0), ("own file, private blocks", 2)):
        middle = statistics.median(each[index] for each in amounts)
        most = max(amounts, key=lambda each: each[index])
        print(f"lines to read, {title:24} median {middle:g}, most {most[index]} ({most[3]})")
    print(f"files to read            median {statistics.median(each[1] for each in amounts):g}")


def _blocks(module: Path, package: Path) -> list[Path]:
    """The modules below `policies` that a module imports."""
    found = []
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom):
            continue
        if node.level:
            folder = module.parents[node.level - 1]
        elif (node.module or "").startswith("factored_bandits"):
            folder = package.parent
        else:
            continue
        target = folder.joinpath(*(node.module or "").split(".")) if node.module else folder
        candidates = [target.with_suffix(".py")]
        candidates += [target / f"{name.name}.py" for name in node.names]
        found += [
            path for path in candidates if path.exists() and package / "policies" in path.parents
        ]
    return found


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else SOURCE)
