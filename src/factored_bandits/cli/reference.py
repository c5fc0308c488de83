"""Writes docs/reference/cli.md from the command tree; run it as `COMMAND` below says."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from .app import EPILOG, app
from .running import ProblemCommand, ProblemGroup, run_options

COMMAND = "python -m factored_bandits.cli.reference docs/reference/cli.md"


def reference() -> str:
    """The whole page."""
    context = click.Context(app, info_name="factored-bandits")
    parts = [
        "# Command line",
        f"*Written by `{COMMAND}`; a test keeps it up to date.*",
        _prose(app),
    ]
    parts += ["```text\n" + EPILOG.replace("\b\n", "").rstrip() + "\n```"]

    for name in app.list_commands(context):
        command = app.get_command(context, name)
        if command is not None:
            parts += _section(command, context)

    return "\n\n".join(parts) + "\n"


def _section(command: click.Command, parent: click.Context) -> Iterator[str]:
    context = click.Context(command, info_name=command.name, parent=parent)
    yield f"## {command.name}"
    yield _prose(command)
    yield f"`{' '.join([context.command_path, *command.collect_usage_pieces(context)])}`"

    if not isinstance(command, ProblemGroup):
        yield _options(
            [param for param in command.params if isinstance(param, click.Option)], context
        )
        return

    yield "Every problem takes"
    yield _options(run_options(str(command.name)), context)

    if command.name == "simulate":
        yield "and, like `compare`, the options of the problem."
        return

    for name in command.list_commands(context):
        problem = command.get_command(context, name)
        assert problem is not None, "it is listed"
        yield f"### compare {name}"
        yield _prose(problem)
        own = problem.own if isinstance(problem, ProblemCommand) else 0
        yield _options(problem.params[:own], context)


def _prose(command: click.Command) -> str:
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    return "\n\n".join(
        _code(part) if "\b" in part else part.replace("\n", " ") for part in paragraphs
    )


def _code(paragraph: str) -> str:
    return "```text\n" + paragraph.replace("\b\n", "").strip() + "\n```"


def _options(options: list[click.Option] | list[click.Parameter], context: click.Context) -> str:
    rows = [
        record
        for record in (option.get_help_record(context) for option in options)
        if record is not None
    ]
    lines = [f"| `{names.replace('|', chr(92) + '|')}` | {text} |" for names, text in rows]
    return "\n".join(["| option | |", "|---|---|", *lines]) if lines else "No options."


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(reference(), encoding="utf-8")
