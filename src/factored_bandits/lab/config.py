"""An experiment of one's own in a TOML file; complaints name line, field and what is allowed."""

from __future__ import annotations

import inspect
import re
import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from factored_bandits import environments
from factored_bandits.environments import Environment
from factored_bandits.environments.suites import Instance
from factored_bandits.errors import InvalidInputError, MissingExtraError

from .lines import Where, line_of
from .lookup import names
from .spec import Preset, Spec

if TYPE_CHECKING:
    from pydantic import ValidationError

    from .document import Document, PresetTable, ProblemTable


def read(path: Path) -> Spec:
    """The experiment that a file describes.

    Parameters
    ----------
    path
        A TOML file.

    Returns
    -------
    Spec
        The experiment, named like the file unless the file says otherwise.

    Raises
    ------
    InvalidInputError
        If the file cannot be read, or a field is wrong.

    Examples
    --------
    >>> import tempfile
    >>> text = '''
    ... policies = ["tea"]
    ... problems = [{problem = "rank1", levels = 4}]
    ... quick = {horizon = 1000, repetitions = 4}
    ... '''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "small.toml"
    ...     characters = path.write_text(text)
    ...     spec = read(path)
    >>> spec.name, spec.policies
    ('small', ('tea',))
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InvalidInputError(f"{str(path)!r} cannot be read: {reason}") from None
    return parse(text, path.stem, str(path))


def parse(text: str, name: str = "mine", file: str = "") -> Spec:
    """The experiment that a text describes.

    Parameters
    ----------
    text
        TOML with the fields of `Spec`.
    name
        The name of the experiment if the text gives none.
    file
        What complaints call the text.

    Returns
    -------
    Spec
        The experiment.

    Raises
    ------
    InvalidInputError
        If a field is wrong; the message names line, field and what is allowed.

    Examples
    --------
    >>> spec = parse('''
    ... policies = ["tea"]
    ... problems = [{problem = "rank1", levels = 4}]
    ... quick = {horizon = 1000, repetitions = 4}
    ... ''')
    >>> spec.name, spec.quick.horizon, spec.problems[0].name
    ('mine', 1000, 'rank1(levels=4)')
    """
    return _Reader(text, file or f"{name}.toml").spec(name)


class _Reader:
    """One text; every complaint knows where it belongs."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        try:
            self.tables = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise InvalidInputError(f"{file}: {error}") from None

    def document(self) -> Document:
        """The text as a checked document."""
        try:
            from pydantic import ValidationError

            from .document import Document
        except ImportError as error:
            extra = str(error.name).partition("_")[0]
            raise MissingExtraError.of(extra, "lab", "an experiment from a file") from None

        try:
            return Document.model_validate(self.tables)
        except ValidationError as error:
            self.refuse_first(error)

    def refuse_first(self, error: ValidationError) -> NoReturn:
        """Complain of one error; of a misspelt field rather than of one that is missing."""
        from .document import fields_of

        found = sorted(error.errors(), key=lambda each: each["type"] != "extra_forbidden")
        *where, key = found[0]["loc"]
        complaint = found[0]["msg"]
        if found[0]["type"] == "extra_forbidden":
            complaint = f"is no field here; there are {', '.join(fields_of(tuple(where)))}"
        elif found[0]["type"] == "missing":
            complaint = f"is missing; an experiment has {', '.join(fields_of(()))}"

        self.refuse(tuple(where), str(key), complaint)

    def spec(self, name: str) -> Spec:
        """The experiment."""
        document = self.document()
        name = document.name if document.name is not None else name
        if not re.fullmatch(r"[A-Za-z0-9_]+", name) or name in names():
            shipped = f", and none of {', '.join(names())}" if name in names() else ""
            self.refuse((), "name", f"must be of letters, digits and _{shipped}, not {name!r}")

        problems = self.problems(document)
        labels = [instance.name for instance in problems]
        quick = self.preset("quick", document.quick, labels)
        full = quick
        if document.full is not None:
            full = self.preset("full", document.full, labels)

        return Spec(
            name=name,
            title=document.title if document.title is not None else name,
            text=document.text,
            problems=tuple(problems),
            policies=tuple(document.policies),
            quick=quick,
            full=full,
            seed=document.seed,
            unit=document.unit,
            checkpoints=document.checkpoints,
            seconds=document.seconds,
            source=self.text,
        )

    def problems(self, document: Document) -> list[Instance]:
        """The problems, each with a name of its own."""
        instances: list[Instance] = []
        for number, block in enumerate(document.problems):
            where = ("problems", number)
            instance = self.problem(where, block, document.unit)
            if instance.name in [other.name for other in instances]:
                complaint = f"stands for two problems: {instance.name!r}"
                self.refuse(where, "name", f"{complaint}; give each a name of its own")
            instances.append(instance)

        return instances

    def problem(self, where: Where, block: ProblemTable, unit: str) -> Instance:
        """One problem: a generator or a reward model, with its parameters."""
        kind, chosen, make = self.maker(where, block)
        allowed = list(inspect.signature(make).parameters)
        for key in block.parameters:
            if key not in allowed:
                fields = dict.fromkeys([*type(block).model_fields, *allowed])
                self.refuse(where, key, f"is no field here; there are {', '.join(fields)}")

        given = block.parameters
        if unit and "unit" in allowed:
            given.setdefault("unit", unit)

        try:
            made = make(**given)
        except (InvalidInputError, TypeError) as error:
            self.refuse_parameters(where, kind, chosen, given, str(error))

        if unit and made.unit != unit:
            complaint = f"must be {made.unit!r}, which is the unit of {chosen}, not {unit!r}"
            self.refuse((), "unit", complaint)

        label = block.name
        if label is None:
            told = ", ".join(f"{key}={value}" for key, value in block.parameters.items())
            label = f"{chosen}({told})" if told else chosen

        return Instance(label, partial(make, **given), block.horizon, "")

    def maker(
        self, where: Where, block: ProblemTable
    ) -> tuple[str, str, Callable[..., Environment]]:
        """Whether `problem` or `model` is given, which one, and the function that makes it."""
        if (block.problem is None) == (block.model is None):
            self.refuse(where, "problem", "or model is needed, one of the two")

        kind = "problem" if block.problem is not None else "model"
        text = str(block.problem if kind == "problem" else block.model)
        chosen = text.replace("-", "_")
        known = environments.generators() if kind == "problem" else environments.names()
        if chosen not in known:
            self.refuse(where, kind, f"must be one of {', '.join(sorted(known))}, not {text!r}")

        if kind == "problem":
            return kind, chosen, environments.generators()[chosen]
        return kind, chosen, environments.load(chosen).init

    def refuse_parameters(
        self, where: Where, kind: str, chosen: str, given: dict[str, Any], error: str
    ) -> NoReturn:
        """Complain of the parameter that the library's message begins with."""
        field = next((key for key in given if error.startswith(key)), None)
        if field is None:
            self.refuse(where, kind, f"{chosen}: {error}")
        self.refuse(where, field, error.removeprefix(f"{field} "))

    def preset(self, name: str, table: PresetTable, labels: list[str]) -> Preset:
        """`quick` or `full`."""
        for problem in table.problems:
            if problem not in labels:
                complaint = f"must be of {', '.join(labels)}, not {problem!r}"
                self.refuse((name,), "problems", complaint)

        return Preset(
            repetitions=table.repetitions,
            horizon=table.horizon,
            problems=tuple(table.problems),
            policies=tuple(table.policies or ()),
        )

    def refuse(self, where: Where, key: str, complaint: str) -> NoReturn:
        """Raise an error with file, line and field."""
        line = line_of(self.text, where, key)
        field = ".".join([*map(str, where), key])
        position = f", line {line}" if line else ""
        raise InvalidInputError(f"{self.file}{position}: {field} {complaint}")
