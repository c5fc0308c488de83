"""The tables and fields of an experiment in a TOML file, as pydantic models.

What can be said of a field alone is checked here; what depends on other fields or on the library's
problems is checked by `config`. Complaints are the ends of sentences that begin with the field.
"""

from __future__ import annotations

import functools
import math
from typing import Annotated, Any, NoReturn

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from factored_bandits.errors import InvalidInputError
from factored_bandits.policies import make

from .spec import EVERY


def _complain(complaint: str) -> NoReturn:
    raise PydanticCustomError("complaint", "{complaint}", {"complaint": complaint})


def _text(value: Any) -> Any:
    if not isinstance(value, str):
        _complain(f"must be text in quotes, not {value!r}")
    return value


def _integer(value: Any, low: int) -> int:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not float(value).is_integer() or value < low:
        _complain(f"must be a whole number, {low} or more, not {value!r}")
    return int(value)


def _seconds(value: Any) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0.0 < value < math.inf:
        _complain(f"must be a number above 0, not {value!r}")
    return float(value)


def _policies(given: Any) -> Any:
    names = isinstance(given, list) and all(isinstance(text, str) for text in given)
    if not names or not given:
        _complain('must be a list of names such as ["tea", "flat_ucb1(alpha=0.5)"], or ["*"]')

    for text in given:
        if text == EVERY:
            continue
        try:
            make(text)
        except InvalidInputError as error:
            _complain(str(error))

    return given


def _problems(given: Any) -> Any:
    blocks = isinstance(given, list) and all(isinstance(block, dict) for block in given)
    if not blocks or not given:
        _complain("must be at least one block [[problems]]")
    return given


def _preset(given: Any) -> Any:
    if not isinstance(given, dict):
        _complain(f"must be a table with {', '.join(PresetTable.model_fields)}")
    return given


def _one_or_more(given: Any) -> list[Any]:
    return given if isinstance(given, list) else [given]


Text = Annotated[str, BeforeValidator(_text)]
Natural = Annotated[int, BeforeValidator(functools.partial(_integer, low=0))]
Positive = Annotated[int, BeforeValidator(functools.partial(_integer, low=1))]
Policies = Annotated[list[str], BeforeValidator(_policies)]


class Table(BaseModel):
    """A table of the file: no other fields than those of the model."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class PresetTable(Table):
    """`[quick]` or `[full]`."""

    repetitions: Positive = 20
    horizon: Positive | None = None
    problems: Annotated[list[Any], BeforeValidator(_one_or_more)] = Field(default_factory=list)
    policies: Policies | None = None


class ProblemTable(BaseModel):
    """A block `[[problems]]`; other fields are parameters of its generator or reward model."""

    model_config = ConfigDict(extra="allow", frozen=True)

    name: Text | None = None
    problem: Text | None = None
    model: Text | None = None
    horizon: Positive = 10**5

    @property
    def parameters(self) -> dict[str, Any]:
        """The fields that are not its own."""
        return dict(self.model_extra or {})


class Document(Table):
    """The whole file."""

    name: Text | None = None
    title: Text | None = None
    text: Text = ""
    policies: Policies
    seed: Natural = 0
    unit: Text = ""
    checkpoints: Positive = 60
    seconds: Annotated[float, BeforeValidator(_seconds)] = 5.0
    problems: Annotated[list[ProblemTable], BeforeValidator(_problems)]
    quick: Annotated[PresetTable, BeforeValidator(_preset)]
    full: Annotated[PresetTable | None, BeforeValidator(_preset)] = None


def fields_of(where: tuple[Any, ...]) -> list[str]:
    """The fields of the document, or of the table at `where`."""
    if not where:
        return list(Document.model_fields)
    return list({"problems": ProblemTable}.get(where[0], PresetTable).model_fields)
