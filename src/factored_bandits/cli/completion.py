"""`completion`, and the names that the Tab key completes: policies, problems, experiments."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click
from click.shell_completion import CompletionItem, get_completion_class

from .values import Choice

PROGRAM = "factored-bandits"
VARIABLE = "_FACTORED_BANDITS_COMPLETE"  # by which click's script asks the program
# Files that a shell reads when it starts, or when the program is first completed.
FILES = {
    "bash": "~/.local/share/bash-completion/completions/factored-bandits",
    "zsh": "~/.zfunc/_factored-bandits",
    "fish": "~/.config/fish/completions/factored-bandits.fish",
}
HOW = {
    "bash": "or, without the package bash-completion, this line in ~/.bashrc:\n"
    '#   eval "$(factored-bandits completion bash)"',
    "zsh": "with these lines in ~/.zshrc:\n"
    "#   fpath+=~/.zfunc\n#   autoload -Uz compinit && compinit",
    "fish": "which fish finds by itself",
}


@click.command()
@click.argument("shell", type=Choice(list(FILES)))
def completion(shell: str) -> None:
    """Print the script by which SHELL (bash, zsh or fish) completes commands, options and names.

    Its last lines say where it goes.

    \b
    factored-bandits completion bash
    """
    # found late: `app` imports this file
    from .app import app

    found = get_completion_class(shell)
    assert found is not None, "a shell that click knows"
    click.echo(found(app, {}, PROGRAM, VARIABLE).source().strip())
    click.echo()

    path = FILES[shell]
    folder = path.rpartition("/")[0]
    click.echo("# To install it:")
    click.echo(f"#   mkdir -p {folder} && {PROGRAM} completion {shell} > {path}")
    click.echo(f"# {HOW[shell]}")


def policy_list(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem[Any]]:
    """The last name of a list such as `tea,flat_u`."""
    begun, comma, last = incomplete.rpartition(",")
    return _items(_policies(), last, before=begun + comma)


def policy_or_file(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem[Any]]:
    """One policy of the library, or a file where it looks like a path."""
    if "/" in incomplete or incomplete.startswith("."):
        return [CompletionItem(incomplete, type="file")]
    return _items(_policies(), incomplete)


def policy_name(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem[Any]]:
    """One policy of the library."""
    return _items(_policies(), incomplete)


def environment_name(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem[Any]]:
    """A reward model or a ready-made problem."""
    from factored_bandits import environments

    return _items(sorted({*environments.names(), *environments.generators()}), incomplete)


def experiment_name(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem[Any]]:
    """An experiment of the paper."""
    from factored_bandits import lab

    return _items(lab.names(), incomplete)


def _policies() -> list[str]:
    from factored_bandits import policies

    return policies.names()


def _items(names: Iterable[str], begun: str, before: str = "") -> list[CompletionItem[Any]]:
    """Those that begin so, where - counts as _."""
    wanted = begun.replace("-", "_")
    return [CompletionItem(before + name) for name in names if name.startswith(wanted)]
