"""`policies`, `environments` and `version`: what there is."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from typing import Any

import click

from .completion import environment_name, policy_name
from .output import show, show_json

KINDS = {"duel": "duels", "factored": "factored"}


@click.command()
@click.argument("name", required=False, shell_complete=policy_name)
@click.option("--duels", "kind", flag_value="duel", help="Only those for duels.")
@click.option("--factored", "kind", flag_value="factored", help="Only those for factored problems.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def policies(name: str | None, kind: str | None, as_json: bool) -> None:
    """List the algorithms, or describe the one called NAME."""
    from factored_bandits import policies as library

    if name is not None:
        described = library.describe(name.replace("-", "_"))
        return show_json(_policy(described)) if as_json else click.echo(str(described))

    every = [library.describe(each) for each in library.names(kind)]  # type: ignore[arg-type]
    if as_json:
        return show_json([_policy(each) for each in every])

    # of one kind there is room for what is proved
    last = "title" if kind is None else "guarantee"
    rows = [(d.name, *_facts(d.info), getattr(d.info, last)) for d in every]
    _list(
        ("name", "problems", "assumes", "horizon", last),
        rows,
        "factored-bandits policies NAME tells more",
    )


def _facts(info: Any) -> tuple[str, str, str]:
    return KINDS[info.kind], info.assumption, "needed" if info.needs_horizon else "-"


def _policy(described: Any) -> dict[str, Any]:
    info = described.info
    return {
        "name": described.name,
        "title": info.title,
        "problems": KINDS[info.kind],
        "assumption": info.assumption,
        "guarantee": info.guarantee,
        "reference": info.reference,
        "needs_horizon": info.needs_horizon,
        "parameters": described.parameters,
        "description": described.text,
    }


@click.command()
@click.argument("name", required=False, shell_complete=environment_name)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def environments(name: str | None, as_json: bool) -> None:
    """List reward models and ready-made problems, or describe the one called NAME."""
    from factored_bandits import environments as library

    if name is not None:
        found = _environment(name.replace("-", "_"))
        return show_json(found) if as_json else click.echo(_described(found))

    models = [_model(each) for each in library.names()]
    problems = [_problem(each) for each in sorted(library.generators())]
    if as_json:
        return show_json({"models": models, "problems": problems})

    _list(
        ("reward model", "what it is", "parameters"),
        [(each["name"], each["title"], _listed(each["parameters"])) for each in models],
        'in a program: fb.environments.make("rank1", factors=[[0.9, 0.5], [0.8, 0.2]])',
    )
    click.echo()
    _list(
        ("problem", "kind", "parameters"),
        [(each["command"], each["problems"], _listed(each["parameters"])) for each in problems],
        "on the command line: factored-bandits compare PROBLEM --help; your own data: duels, table",
    )


def _model(name: str) -> dict[str, Any]:
    from factored_bandits import environments as library

    module = library.load(name)
    title, _, text = prose(module).partition("\n\n")

    return {
        "name": name,
        "title": title.partition(": ")[2].rstrip("."),
        "description": f"{text}\n\n{prose(module.init)}".strip(),
        "parameters": _parameters(module.init),
    }


def _problem(name: str) -> dict[str, Any]:
    from factored_bandits import environments as library

    make = library.generators()[name]
    return {
        "name": name,
        "command": name.replace("_", "-"),
        "problems": KINDS[make().kind],
        "description": prose(make),
        "parameters": _parameters(make),
    }


def prose(documented: Any) -> str:
    """What a docstring says, with its parameters but without examples, returns and raises.

    >>> def double(x):
    ...     '''Twice a number.
    ...
    ...     Examples
    ...     --------
    ...     >>> double(2)
    ...     4
    ...     '''
    >>> prose(double)
    'Twice a number.'
    """
    paragraphs = (inspect.getdoc(documented) or "").split("\n\n")
    kept = []
    section = ""

    for paragraph in paragraphs:
        heading = re.match(r"(\w+)\n-{3,}\n", paragraph)
        if heading:
            section = heading[1]
        if section in ("", "Parameters") and ">>>" not in paragraph:
            kept.append(paragraph)

    return "\n\n".join(kept)


def _environment(name: str) -> dict[str, Any]:
    """The reward model or the problem of this name, or both."""
    from factored_bandits import environments as library
    from factored_bandits.errors import UnknownNameError

    known = {*library.names(), *library.generators()}
    if name not in known:
        raise UnknownNameError.of("environment", name, known)
    return {
        "model": _model(name) if name in library.names() else None,
        "problem": _problem(name) if name in library.generators() else None,
    }


def _described(found: dict[str, Any]) -> str:
    parts = []
    model = found["model"]
    problem = found["problem"]

    if model:
        call = f"fb.environments.make({model['name']!r}, {_listed(model['parameters'])})"
        parts += [
            f"{model['name']}: {model['title']}",
            model["description"],
            f"in a program   {call}",
        ]

    if problem:
        options = " ".join(
            f"--{key.replace('_', '-')} {value}" for key, value in problem["parameters"].items()
        )
        command = f"factored-bandits compare {problem['command']} {options}"
        parts += [
            f"problem {problem['command']} ({problem['problems']})",
            problem["description"],
            command,
        ]

    return "\n\n".join(parts)


def _parameters(function: Any) -> dict[str, Any]:
    """Names and defaults; None where there is none."""
    given = inspect.signature(function).parameters.items()
    return {name: None if p.default is p.empty else p.default for name, p in given}


def _listed(parameters: dict[str, Any]) -> str:
    return ", ".join(
        f"{key}=..." if value is None else f"{key}={value!r}" for key, value in parameters.items()
    )


def _list(columns: tuple[str, ...], rows: Sequence[tuple[str, ...]], caption: str) -> None:
    from factored_bandits.core.table import Table

    show(Table("", columns, rows, caption, align="l" * len(columns)))


@click.command()
def version() -> None:
    """Versions of this package and of the libraries it stands on."""
    import platform
    from importlib import metadata

    from factored_bandits import __version__

    click.echo(f"factored-bandits {__version__}")
    click.echo(f"python           {platform.python_version()}")

    for library in ("numpy", "numba", "click", "rich", "matplotlib", "pandas"):
        try:
            click.echo(f"{library:16} {metadata.version(library)}")
        except metadata.PackageNotFoundError:
            click.echo(f"{library:16} not installed")
