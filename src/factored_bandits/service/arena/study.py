"""What a study is: candidates, what is shown of them, and the rules of the vote."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

from factored_bandits.core.checks import finite, integer, one_of, probability, shown
from factored_bandits.errors import InvalidInputError

Format = Literal["text", "markdown", "image"]
FORMATS: tuple[Format, ...] = get_args(Format)

MOST_CANDIDATES = 100
MOST_ITEMS = 2000
LONGEST_TEXT = 50_000  # characters of an item, or of an answer to it
LONGEST_NAME = 100
LONGEST_TITLE = 200
LEAST_DELTA = 1e-12  # that the policy takes
SPARE = 20.0  # so many times the evidence, where voters may lie: 3 in its logarithm
TTL = "7d"  # until a duel that nobody judges is settled as a tie, so that learning goes on


@dataclass(frozen=True)
class Rules:
    """How a vote goes.

    Attributes
    ----------
    title
        What voters see on top.
    question
        What they are asked.
    format
        What candidates are: "text", "markdown" or "image".
    cap
        The most votes of one voter that count.
    undo
        Seconds until a vote can no longer be taken back; the next vote ends that, too.
    patience
        Seconds until a duel that was shown and not judged is given to somebody else.
    alpha
        The probability of error at which candidates are ruled out.
    liars
        How many voters may lie: the vote goes on until no elimination rests on so few.
    least_seconds
        A vote that comes sooner is flagged.
    reveal
        Whether voters see the names and the result when the vote has ended.
    """

    title: str
    question: str = "Which one is better?"
    format: Format = "text"
    cap: int = 50
    undo: float = 20.0
    patience: float = 300.0
    alpha: float = 0.05
    liars: int = 1
    least_seconds: float = 1.0
    reveal: bool = False

    def text(self) -> str:
        """As the database keeps it."""
        return json.dumps(asdict(self))

    @classmethod
    def of(cls, text: str) -> Rules:
        """From what the database keeps."""
        known = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in json.loads(text).items() if name in known})


def default_policy(rules: Rules) -> str:
    """Which two meet, if nobody chooses.

    Votes are paid for with somebody's time, as calls of a judge are, and so the policy is that of
    `fb.arena` (docs/decisions.md). Where a result must stand though some voters lie, it goes on
    collecting evidence against a candidate for longer than an honest vote would need.

    >>> default_policy(Rules("x", liars=0)), default_policy(Rules("x"))
    ('duel_top_two(delta=0.05)', 'duel_top_two(delta=0.0025)')
    """
    delta = rules.alpha if rules.liars == 0 else rules.alpha / SPARE
    return f"duel_top_two(delta={max(delta, LEAST_DELTA):.6g})"


@dataclass(frozen=True)
class Draft:
    """A study that is to be made, checked.

    Attributes
    ----------
    rules
        How the vote goes.
    names
        Those of the candidates: the arms of the experiment, which voters never see.
    prompts
        What the candidates answer; empty if they stand for themselves.
    contents
        By prompt and candidate what is shown. Without prompts there is one row.
    """

    rules: Rules
    names: tuple[str, ...]
    prompts: tuple[str, ...]
    contents: tuple[tuple[bytes, ...], ...]


def checked_rules(**given: Any) -> Rules:
    """The rules of a vote; a complaint names the one that is wrong."""
    known = [field.name for field in fields(Rules)]
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise InvalidInputError(f"no such rule: {', '.join(unknown)}. There are {', '.join(known)}")
    rules = Rules(**{"title": "", **given})
    line("title", rules.title, LONGEST_TITLE)
    line("question", rules.question, LONGEST_TITLE)
    one_of("format", rules.format, FORMATS)
    integer("cap", rules.cap, 1)
    integer("liars", rules.liars, 0)
    probability("alpha", rules.alpha)
    for name in ("undo", "patience", "least_seconds"):
        seconds = finite(name, getattr(rules, name))
        if seconds < 0:
            raise InvalidInputError(f"{name} must be a number of seconds, not {seconds!r}")
    if not isinstance(rules.reveal, bool):
        raise InvalidInputError(f"reveal must be true or false, not {shown(rules.reveal)}")
    return rules


def drafted(
    rules: Rules, names: list[str], prompts: list[str], contents: list[list[bytes]]
) -> Draft:
    """A study, checked: names, how many there are, and how long."""
    if not 2 <= len(names) <= MOST_CANDIDATES:
        raise InvalidInputError(
            f"a vote needs 2 to {MOST_CANDIDATES} candidates, and there are {len(names)}"
        )
    for name in names:
        line("the name of a candidate", name, LONGEST_NAME)
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InvalidInputError(f"the candidate {twice[0]!r} stands there twice")
    if len(prompts) > MOST_ITEMS:
        raise InvalidInputError(f"a study has at most {MOST_ITEMS:,} items, not {len(prompts):,}")
    for prompt in prompts:
        fitting("an item", prompt)
    for row in contents:
        for name, body in zip(names, row, strict=True):
            if not body.strip():
                raise InvalidInputError(f"there is nothing to show of the candidate {name!r}")
            if rules.format != "image":
                fitting(f"the text of {name!r}", body.decode())
    return Draft(rules, tuple(names), tuple(prompts), tuple(map(tuple, contents)))


def line(what: str, given: Any, longest: int) -> str:
    """One line of text."""
    if not isinstance(given, str) or not given.strip():
        raise InvalidInputError(f"{what} must be a text of 1 to {longest} characters")
    if len(given) > longest:
        raise InvalidInputError(f"{what} has {len(given):,} characters, and at most {longest} fit")
    if not given.isprintable():
        raise InvalidInputError(f"{what} must be one printable line, not {shown(given)}")
    return given


def fitting(what: str, given: str) -> str:
    """A text of any lines."""
    if len(given) > LONGEST_TEXT:
        raise InvalidInputError(
            f"{what} has {len(given):,} characters, and at most {LONGEST_TEXT:,} fit"
        )
    if "\0" in given:
        raise InvalidInputError(f"{what} holds a NUL character, which no text has")
    return given
