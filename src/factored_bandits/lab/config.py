"""An experiment of one's own in a TOML file: the fields of `Spec`, checked, with errors that name
line and field.
"""

from __future__ import annotations

import inspect
import re
import tomllib
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from factored_bandits import environments
from factored_bandits.environments.suites import Instance
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies import make as make_policy

from .lookup import names
from .spec import EVERY, Preset, Spec

TOP = (
    "name",
    "title",
    "text",
    "policies",
    "seed",
    "unit",
    "checkpoints",
    "seconds",
    "problems",
    "quick",
    "full",
)
OWN = (
    "name",
    "problem",
    "model",
    "horizon",
)  # of a problem, beside the parameters of its generator or model
SIZE = ("repetitions", "horizon", "problems", "policies")

TEMPLATE = """\
# An experiment. Run it with:  factored-bandits run {file}
name = "{name}"                  # letters, digits and _; the folder of its results
title = "Which ad, in which position?"
text = "What this shows, for the report."
policies = ["tea", "lb_inf", "flat_ucb1(alpha=0.5)"]   # factored-bandits policies lists them; "*" for all that fit
seed = 0                         # the same seed, the same numbers
checkpoints = 60                 # how many rounds, log-spaced, at which regret is noted
seconds = 5                      # of work per unit, about: what is lost if a run is killed
# unit = "average"               # of regret, for duels: average, paper, weak, strong or copeland

[[problems]]                     # one block per problem
name = "clear"
problem = "rank1"             # factored-bandits environments lists them, with their parameters
levels = 8
best = 0.75
gap = 0.3

[[problems]]
name = "close"
problem = "rank1"
levels = 8
best = 0.75
gap = 0.2
# horizon = 200_000              # for this problem, where the size below gives none

# [[problems]]                   # or a reward model with data of your own
# name = "mine"
# model = "additive"
# effects = [[0.3, 0.0], [0.1, 0.0, 0.0]]
# base = 0.2

[quick]                          # what is run by default
horizon = 20_000
repetitions = 4

[full]                           # what is run with --full
horizon = 1_000_000
repetitions = 20
# problems = ["close"]           # only these
# policies = ["tea"]             # instead of those above
"""


def read(path: Path) -> Spec:
    """The experiment that a file describes."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(
            f"{str(path)!r} cannot be read: {getattr(error, 'strerror', None) or error}"
        ) from None
    return parse(text, path.stem, str(path))


def parse(text: str, name: str = "mine", file: str = "") -> Spec:
    """The experiment that a text describes; `name` is its name if it gives none.

    >>> parse(TEMPLATE.format(name="ads", file="ads.toml")).quick
    Size(repetitions=4, horizon=20000, shorten=1, problems=(), policies=(), fewer=(), left_out=())
    """
    return _Reader(text, file or f"{name}.toml").spec(name)


class _Reader:
    """One text; every complaint knows where it belongs."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        try:
            self.document = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise InvalidInputError(f"{file}: {error}") from None

    def spec(self, name: str) -> Spec:
        document = self.document
        self.known((), document, TOP)

        for key in ("policies", "problems", "quick"):
            if key not in document:
                self.refuse(
                    (),
                    key,
                    f"is missing; an experiment has {', '.join(TOP)} (factored-bandits init)",
                )

        name = self.word((), document, "name", name)
        if not re.fullmatch(r"[A-Za-z0-9_]+", name) or name in names():
            shipped = f", and none of {', '.join(names())}" if name in names() else ""
            self.refuse((), "name", f"must be of letters, digits and _{shipped}, not {name!r}")

        unit = self.word((), document, "unit", "")
        problems = self.problems(unit)
        labels = [instance.name for instance in problems]
        quick = self.preset("quick", labels)

        return Spec(
            name=name,
            title=self.word((), document, "title", name),
            text=self.word((), document, "text", ""),
            problems=tuple(problems),
            policies=self.policies((), document),
            quick=quick,
            full=self.preset("full", labels) if "full" in document else quick,
            seed=self.integer((), document, "seed", 0, 0),
            unit=unit,
            checkpoints=self.integer((), document, "checkpoints", 60, 1),
            seconds=self.seconds(),
            source=self.text,
        )

    def problems(self, unit: str) -> list[Instance]:
        blocks = self.document["problems"]
        if (
            not isinstance(blocks, list)
            or not blocks
            or not all(isinstance(block, dict) for block in blocks)
        ):
            self.refuse((), "problems", "must be at least one block [[problems]]")

        instances: list[Instance] = []
        for number, block in enumerate(blocks):
            where = ("problems", number)
            instance = self.problem(where, block, unit)
            if instance.name in [other.name for other in instances]:
                self.refuse(
                    where,
                    "name",
                    f"stands for two problems: {instance.name!r}; give each a name of its own",
                )
            instances.append(instance)

        return instances

    def problem(self, where: tuple[Any, ...], block: dict[str, Any], unit: str) -> Instance:
        kinds = [key for key in ("problem", "model") if key in block]
        if len(kinds) != 1:
            self.refuse(where, "problem", "or model is needed, one of the two")
        kind = kinds[0]
        chosen = self.word(where, block, kinds[0], "").replace("-", "_")
        known = environments.generators() if kind == "problem" else environments.names()

        if chosen not in known:
            self.refuse(
                where, kind, f"must be one of {', '.join(sorted(known))}, not {block[kind]!r}"
            )

        make = (
            environments.generators()[chosen]
            if kind == "problem"
            else environments.load(chosen).init
        )
        allowed = list(inspect.signature(make).parameters)
        self.known(where, block, (*OWN, *allowed))
        given = {key: value for key, value in block.items() if key not in OWN}
        if unit and "unit" in allowed:
            given.setdefault("unit", unit)
        try:
            made = make(**given)
        except (InvalidInputError, TypeError) as error:
            text = str(error)
            field = next((key for key in given if text.startswith(key)), kind)
            self.refuse(
                where,
                field,
                text.removeprefix(f"{field} ") if field != kind else f"{chosen}: {text}",
            )

        if unit and made.unit != unit:
            self.refuse(
                (), "unit", f"must be {made.unit!r}, which is the unit of {chosen}, not {unit!r}"
            )

        told = ", ".join(f"{key}={value}" for key, value in given.items() if key in block)
        label = self.word(where, block, "name", f"{chosen}({told})" if told else chosen)

        return Instance(
            label, partial(make, **given), self.integer(where, block, "horizon", 10**5, 1), ""
        )

    def size(self, name: str, labels: list[str]) -> Preset:
        where = (name,)
        table = self.document[name]
        if not isinstance(table, dict):
            self.refuse((), name, f"must be a table: [{name}] and below it {', '.join(SIZE)}")
        self.known(where, table, SIZE)
        only = table.get("problems", [])

        for problem in only if isinstance(only, list) else [only]:
            if problem not in labels:
                self.refuse(where, "problems", f"must be of {', '.join(labels)}, not {problem!r}")

        return Preset(
            repetitions=self.integer(where, table, "repetitions", 20, 1),
            horizon=self.integer(where, table, "horizon", 1, 1) if "horizon" in table else None,
            problems=tuple(only),
            policies=self.policies(where, table) if "policies" in table else (),
        )

    def policies(self, where: tuple[Any, ...], table: dict[str, Any]) -> tuple[str, ...]:
        given = table["policies"]
        if (
            not isinstance(given, list)
            or not given
            or not all(isinstance(text, str) for text in given)
        ):
            self.refuse(
                where,
                "policies",
                'must be a list of names such as ["tea", "flat_ucb1(alpha=0.5)"], or ["*"]',
            )

        for text in given:
            try:
                make_policy(text) if text != EVERY else None
            except InvalidInputError as error:
                self.refuse(where, "policies", str(error))

        return tuple(given)

    def word(self, where: tuple[Any, ...], table: dict[str, Any], key: str, default: str) -> str:
        value = table.get(key, default)
        if not isinstance(value, str):
            self.refuse(where, key, f"must be text in quotes, not {value!r}")
        return value

    def integer(
        self, where: tuple[Any, ...], table: dict[str, Any], key: str, default: int, low: int
    ) -> int:
        value = table.get(key, default)
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not number or value != int(value) or value < low:
            self.refuse(where, key, f"must be a whole number, {low} or more, not {value!r}")
        return int(value)

    def seconds(self) -> float:
        value = self.document.get("seconds", 5.0)
        if (
            not isinstance(value, (int, float))
            or isinstance(value, bool)
            or not 0.0 < value < float("inf")
        ):
            self.refuse((), "seconds", f"must be a number above 0, not {value!r}")

        return float(value)

    def known(self, where: tuple[Any, ...], table: dict[str, Any], allowed: Iterable[str]) -> None:
        every = list(dict.fromkeys(allowed))
        for key in table:
            if key not in every:
                self.refuse(where, key, f"is no field here; there are {', '.join(every)}")

    def refuse(self, where: tuple[Any, ...], key: str, complaint: str) -> NoReturn:
        line = line_of(self.text, where, key)
        field = ".".join([*map(str, where), key])
        raise InvalidInputError(
            f"{self.file}{f', line {line}' if line else ''}: {field} {complaint}"
        )


def line_of(text: str, where: tuple[Any, ...], key: str) -> int | None:
    """The line of a field; of its table, if the field is not there; None if neither is.

    >>> line_of("seed = 1" + chr(10) + "[quick]" + chr(10) + "horizon = 5", ("quick",), "horizon")
    3
    """
    seen: dict[str, int] = {}
    table: tuple[Any, ...] = ()
    heading = None

    for number, line in enumerate(text.splitlines(), start=1):
        if header := re.match(r"\s*(\[\[?)\s*([\w-]+)\s*\]", line):
            name = header[2]
            seen[name] = seen.get(name, -1) + 1
            table = (name, seen[name]) if header[1] == "[[" else (name,)
            heading = number if table == where else heading
            if not where and name == key:
                return number
        elif table == where and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", line):
            return number

    return heading
