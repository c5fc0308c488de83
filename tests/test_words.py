"""Retired words stay out of the names and texts of src/, of the pages and of the examples.

The table is that of docs/reference/glossary.md read the other way round: for each word that was
given up, what is written instead. An exception is stated with its reason, or not made.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "src" / "factored_bandits").rglob("*.py"))
PAGES = [
    *sorted((ROOT / "docs").rglob("*.md")),
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
]
EXAMPLES = sorted(
    path for folder in ("examples", "benchmarks", "docs") for path in (ROOT / folder).rglob("*.py")
)

# a word inside an identifier, and what it is called now
NAMES = {
    r"compan(y|ies)": "context, reference set",
    r"chances?": "probability",
    r"coins?": "bernoulli",
    r"doubts?": "p_value",
    r"promises?|promised": "propensity",
    r"standings?": "active set, LevelReport",
    r"machines?": "base_bandit",
    r"absorb(ed|s)?": "warm_start",
    r"guess(es)?": "assumptions",
    r"survey(ing|s)?": "benchmark",
    r"fates?": "elimination summary",
    r"roster": "active_list",
    r"strays?": "outside_cohort",
    r"bonds?": "membership",
    r"reconsider": "recompute_active_set",
    r"(?<!warm_)starts": "offsets",
    r"coded": "encoded",
    r"raw": "unbounded",
    r"rank_?one": "rank1",
}
# a word in prose, and what is written instead
PROSE = {
    r"compan(y|ies)": "context, reference set",
    r"chances?": "probability; at random",
    r"coins?": "Bernoulli",
    r"doubts?": "p-value",
    r"promis(e|es|ed)": "guarantee, propensity",
    r"standings?": "active set",
    r"absorbs?": "warm start",
    r"rosters?|strays?": "active list, outside the cohort",
    r"(goes|go|went|put|puts|thrown?|threw) out": "is eliminated",
    r"(comes|come|came|coming) back": "re-enters",
    r"rounds? of return": "re-entry round",
    r"(in|same|the) law": "in distribution",
    r"raw rewards?": "unbounded rewards",
    r"surveys?": "benchmark",
    r"(pieces?|units?) of work": "tasks",
    r"fates?": "elimination summary",
    r"in company|fair company": "context",
}
# only in pages: in a docstring it is the name of a parameter
PAGES_ONLY = {r"p_values?(?! *[=(\]`])": "p-value (in prose)"}
# what looks retired and is not: a pattern on the line, and why it may stay
EXCEPTIONS = {
    r"`p_values?`|p_values?\(|\.p_value|p_values?\b *[=:\[]": "the name in code, quoted as such",
    r"law of (large|the)": "the law of large numbers and the like are the field's words",
    r"platform\.machine": "the computer on which something ran",
    r"\.raw_headers": "the name that starlette has",
}


def allowed(line: str) -> bool:
    return any(re.search(pattern, line) for pattern in EXCEPTIONS)


def found_names(source: str) -> Iterator[tuple[int, str, str]]:
    """Line, identifier and its successor, for every retired word in an identifier."""
    pattern = {
        re.compile(rf"(?:^|_)(?:{word})(?:_|$)", re.IGNORECASE): now for word, now in NAMES.items()
    }
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.NAME and not allowed(token.line):
            for word, now in pattern.items():
                if word.search(token.string):
                    yield token.start[0], token.string, now


def found_prose(text: str, retired: dict[str, str] = PROSE) -> Iterator[tuple[int, str, str]]:
    """Line, word and its successor, for every retired word in lines of prose."""
    words = {re.compile(rf"\b(?:{word})\b", re.IGNORECASE): now for word, now in retired.items()}
    for number, line in enumerate(text.splitlines(), start=1):
        if allowed(line):
            continue
        for word, now in words.items():
            for match in word.finditer(line):
                yield number, match[0], now


def prose_of(source: str) -> Iterator[tuple[int, str]]:
    """Strings and comments of a module, each with the line on which it begins."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in (tokenize.STRING, tokenize.COMMENT):
            yield token.start[0], token.string


def complaints(path: Path) -> list[str]:
    """What a file says that is no longer said so."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        found = list(found_prose(text, PROSE | PAGES_ONLY))
    else:
        found = list(found_names(text))
        for first, string in prose_of(text):
            found += [(first + line - 1, word, now) for line, word, now in found_prose(string)]
    return [f"line {line}: {word!r} is now: {now}" for line, word, now in found]


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", [*SOURCES, *PAGES, *EXAMPLES], ids=relative)
def test_no_retired_word(path):
    assert complaints(path) == []


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("chances = 1", ["chances"]),
        ("def draw_coin(): pass", ["draw_coin"]),
        ("x = state.company", ["company"]),
        ("rank_one = rankone = 1", ["rank_one", "rankone"]),
        ("starts_at = rawness = machinery = 1", ["starts_at"]),
        ("probability = offsets = policy.warm_starts", []),
        ("machine = platform.machine()\nmachine = 2", ["machine"]),
    ],
)
def test_names_are_found(source, names):
    assert [name for _, name, _ in found_names(source)] == names


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a fair coin, and by chance", ["chance", "coin"]),
        ("the level comes back\nor goes out", ["comes back", "goes out"]),
        ("equal in law", ["in law"]),
        ("the p_value of a level", ["p_value"]),
        ("the field `p_value` of a level", []),
        ("probability, context, active set", []),
    ],
)
def test_prose_is_found(text, words):
    found = found_prose(text, PROSE | PAGES_ONLY)
    assert sorted(word for _, word, _ in found) == sorted(words)


def test_a_docstring_counts_as_prose(tmp_path):
    module = tmp_path / "module.py"
    module.write_text('"""First line.\n\nBy chance.\n"""\n\nx = 1  # a coin\n', encoding="utf-8")
    assert complaints(module) == [
        "line 3: 'chance' is now: probability; at random",
        "line 6: 'coin' is now: Bernoulli",
    ]
