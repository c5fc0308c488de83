"""What options take: whole numbers, numbers, one of several words."""

from __future__ import annotations

import decimal
import math
from typing import Any

import click

from factored_bandits.errors import did_you_mean

MOST_DIGITS = 18
MOST_PORT = 65535


class Count(click.ParamType):  # type: ignore[type-arg]
    """A whole number, also written 1e6 or 1_000_000."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number, or a usage error that names the option."""
        try:
            exact = decimal.Decimal(str(value))
        except decimal.InvalidOperation:
            exact = decimal.Decimal("nan")

        if exact.is_finite() and exact.adjusted() > MOST_DIGITS:
            self.fail(
                f"{value!r} is too large: it has {exact.adjusted() + 1:,} digits.", param, ctx
            )
        if exact.is_finite() and exact == exact.to_integral_value():
            return int(exact)
        self.fail(f"{value!r} is not a whole number such as 1000000 or 1e6.", param, ctx)


class Port(click.ParamType):  # type: ignore[type-arg]
    """A port of this machine; 0 is any that is free."""

    name = "port"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The port, or a usage error that names the option."""
        text = str(value)
        if text.isdecimal() and text.isascii() and int(text) <= MOST_PORT:
            return int(text)
        wanted = f"a whole number from 0 to {MOST_PORT} such as 8000"
        self.fail(f"{text!r} is no port: {wanted}, or 0 for any that is free.", param, ctx)


class Number(click.ParamType):  # type: ignore[type-arg]
    """A finite number."""

    name = "number"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number, or a usage error that names the option."""
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a number such as 0.2.", param, ctx)
        return number


def share(text: str) -> float:
    """A number, also written as a percentage; ValueError if it is neither.

    >>> share("0.05"), share("20%"), share("20 %")
    (0.05, 0.2, 0.2)
    """
    if text.rstrip().endswith("%"):
        return float(decimal.Decimal(text.rstrip()[:-1].strip()) / 100)
    return float(text)


class Share(Number):
    """A finite number, also written as a percentage."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number, or a usage error that names the option."""
        try:
            number = share(str(value))
        except (ValueError, decimal.InvalidOperation):
            number = math.nan
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a number such as 0.05 or 5%.", param, ctx)
        return number


class YesNo(click.types.BoolParamType):
    """Yes or no, also written true or false, 1 or 0."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The answer, or a usage error that names the option."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"{value!r} is neither yes nor no.", param, ctx)


class Choice(click.Choice):  # type: ignore[type-arg]
    """One of several words, in capitals or not; the nearest is suggested."""

    def __init__(self, choices: Any) -> None:
        super().__init__(choices, case_sensitive=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The word, or a usage error that names the option."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            known = ", ".join(self.choices)
            hint = did_you_mean(value, self.choices)
            self.fail(f"{value!r} is not one of {known}{hint}", param, ctx)
