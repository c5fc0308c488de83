"""Studies from files: a table item x candidate, or one row for each candidate.

CSV, item x candidate: a header with `item` and the names of the candidates, and a row for each
item. CSV, candidates alone: the header `candidate,text`. JSON lines: an object for each line, with
the same keys. A complaint says which line is wrong, and what was expected.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

from factored_bandits.core.checks import shown
from factored_bandits.errors import InvalidInputError

from .study import Draft, Rules, drafted

ITEM = "item"
CANDIDATE = "candidate"
TEXT = "text"
MOST_BYTES = 10_000_000

Numbered = tuple[int, dict[str, str]]  # the number of a line, and its fields


def draft_of_table(rules: Rules, name: str, content: bytes) -> Draft:
    """The study of a file.

    Parameters
    ----------
    rules
        How the vote goes.
    name
        That of the file, which says by its ending what it holds.
    content
        What it holds.

    Returns
    -------
    Draft
        To be made a study.

    Raises
    ------
    InvalidInputError
        If it cannot be read; the message names the line.

    Examples
    --------
    >>> table = b"item,A,B\\n2 + 2?,4,5\\n"
    >>> draft = draft_of_table(Rules("sums"), "sums.csv", table)
    >>> draft.names, draft.prompts, draft.contents
    (('A', 'B'), ('2 + 2?',), ((b'4', b'5'),))
    """
    if rules.format == "image":
        raise InvalidInputError("a table holds text or Markdown; upload images as files")
    if len(content) > MOST_BYTES:
        raise InvalidInputError(
            f"{name}: a file has at most {MOST_BYTES:,} bytes, not {len(content):,}"
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"{name}: byte {error.start + 1:,} is not UTF-8") from None

    ending = name.rpartition(".")[2].lower()
    if ending == "csv":
        header, rows = _csv(name, text)
    elif ending in ("jsonl", "ndjson"):
        header, rows = _jsonl(name, text)
    else:
        raise InvalidInputError(f"{name}: a file of a study ends in .csv or .jsonl")
    try:
        return _draft(rules, name, header, rows)
    except InvalidInputError as error:
        said = str(error)
        raise InvalidInputError(said if said.startswith(name) else f"{name}: {said}") from None


def _draft(rules: Rules, name: str, header: list[str], rows: list[Numbered]) -> Draft:
    if set(header) == {CANDIDATE, TEXT}:
        names = [fields[CANDIDATE] for _, fields in rows]
        return drafted(rules, names, [], [[fields[TEXT].encode() for _, fields in rows]])

    names = [each for each in header if each != ITEM]
    if ITEM not in header or len(names) < 2:
        raise InvalidInputError(
            f"{name}: the columns must be {ITEM!r} and two candidates or more, or {CANDIDATE!r} "
            f"and {TEXT!r}, not {', '.join(map(repr, header)) or 'none'}"
        )
    for line, fields in rows:
        for each in names:
            if not fields[each].strip():
                raise InvalidInputError(f"{name} line {line}: the answer of {each!r} is empty")
    prompts = [fields[ITEM] for _, fields in rows]
    contents = [[fields[each].encode() for each in names] for _, fields in rows]
    return drafted(rules, names, prompts, contents)


def _csv(name: str, text: str) -> tuple[list[str], list[Numbered]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        lines = [(reader.line_num, fields) for fields in reader if fields]
    except csv.Error as error:
        raise InvalidInputError(f"{name} line {reader.line_num}: {error}") from None
    if len(lines) < 2:
        raise InvalidInputError(f"{name}: there must be a header and at least one line below it")

    header = [each.strip() for each in lines[0][1]]
    twice = sorted({each for each in header if header.count(each) > 1})
    if twice:
        raise InvalidInputError(f"{name} line 1: the column {twice[0]!r} stands there twice")
    rows = []
    for line, fields in lines[1:]:
        if len(fields) != len(header):
            raise InvalidInputError(
                f"{name} line {line}: {len(fields)} fields instead of {len(header)} "
                f"({', '.join(header)})"
            )
        rows.append((line, dict(zip(header, fields, strict=True))))
    return header, rows


def _jsonl(name: str, text: str) -> tuple[list[str], list[Numbered]]:
    rows = list(_objects(name, text))
    if not rows:
        raise InvalidInputError(f"{name}: there is no line in it")
    header = list(rows[0][1])
    for line, fields in rows:
        if set(fields) != set(header):
            different = sorted(set(fields) ^ set(header))[0]
            raise InvalidInputError(
                f"{name} line {line}: the keys must be those of the first line "
                f"({', '.join(header)}); {different!r} is in one of them only"
            )
    return header, rows


def _objects(name: str, text: str) -> Iterator[Numbered]:
    for line, content in enumerate(text.split("\n"), 1):
        if not content.strip():
            continue
        try:
            found: Any = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise InvalidInputError(f"{name} line {line}: this is no JSON: {error}") from None
        if not isinstance(found, dict):
            raise InvalidInputError(f"{name} line {line}: a line is an object, not {shown(found)}")
        for key, value in found.items():
            if not isinstance(value, str):
                raise InvalidInputError(
                    f"{name} line {line}: {key!r} must be a text, not {shown(value)}"
                )
        yield line, found
