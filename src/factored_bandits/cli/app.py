"""The command tree. Importing it must stay quick: commands import the library when they run."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from typing import Any

import click

from factored_bandits import __version__
from factored_bandits.errors import FactoredBanditsError

from .completion import completion
from .demo import demo
from .experiments import experiments
from .keys import keys as keys  # joins `experiments`
from .laboratory import init, reproduce, run
from .listing import environments, policies, version
from .planning import plan
from .process import INTERRUPTED, WRONG_INPUT
from .running import compare, simulate
from .serving import serve
from .stored import results
from .suites import suite
from .voting import arena
from .warming import warm

EPILOG = """\b
Exit codes:
    0  done
    1  the output cannot be written: full, closed, or nobody reads it any more
    2  wrong input: one sentence on standard error says what
  130  interrupted (Ctrl-C); what was finished is printed
"""


class WrongInput(click.ClickException):
    """An error of the library, shown as one sentence."""

    exit_code = WRONG_INPUT


@contextlib.contextmanager
def one_sentence() -> Iterator[None]:
    """Errors of the library and of usage become one sentence and exit code 2."""
    try:
        yield
    except FactoredBanditsError as error:
        raise WrongInput(str(error)) from None
    except click.UsageError as error:
        # `factored-bandits` alone shows the help
        shows_help = isinstance(error, getattr(click.exceptions, "NoArgsIsHelpError", ()))
        if error.ctx is None or shows_help:
            raise
        hint = f"see {error.ctx.command_path} --help"
        raise WrongInput(f"{error.format_message()} ({hint})") from None


def one_line(message: Warning | str, *where: Any, **more: Any) -> None:
    """A warning without the line of code that it came from."""
    click.echo(f"warning: {message}", err=True)


class App(click.Group):
    """The root: turns the library's errors and Ctrl-C into messages and exit codes."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options of the root."""
        with one_sentence():
            return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order in which a newcomer needs them."""
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            with one_sentence(), warnings.catch_warnings():
                warnings.showwarning = one_line
                return super().invoke(ctx)
        except (KeyboardInterrupt, click.Abort):
            click.echo("interrupted", err=True)
            ctx.exit(INTERRUPTED)


SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 110}


@click.group(cls=App, epilog=EPILOG, context_settings=SETTINGS)
@click.version_option(__version__, "--version", "-V", message="factored-bandits %(version)s")
def app() -> None:
    """Compare algorithms that choose several things at once, or the best of K from duels.

    \b
    See it work:   factored-bandits demo
    Your own:      factored-bandits compare rank1 --levels 16 --policies tea,uniform --plot r.png
    """


_commands = (
    demo,
    reproduce,
    compare,
    simulate,
    suite,
    plan,
    init,
    run,
    results,
    experiments,
    serve,
    arena,
    policies,
    environments,
    warm,
    version,
    completion,
)
for _command in _commands:
    app.add_command(_command)
compare.add_command(suite)  # `compare suite factored` is what one tries first
