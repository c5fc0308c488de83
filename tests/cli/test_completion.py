"""The Tab key: the script of each shell, and what bash makes of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

import factored_bandits as fb
from factored_bandits.cli.app import app
from factored_bandits.cli.completion import FILES, PROGRAM, VARIABLE

SHELLS = tuple(FILES)
BASH = shutil.which("bash")


def script(shell):
    result = CliRunner().invoke(app, ["completion", shell])
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_says_at_its_end_how_it_is_installed(shell):
    lines = script(shell).splitlines()
    told = lines[lines.index("# To install it:") :]
    assert all(line.startswith("#") for line in told)
    assert f"factored-bandits completion {shell} > {FILES[shell]}" in told[1]
    # zsh finds a file by what its first line says
    assert shell != "zsh" or lines[0] == "#compdef factored-bandits"


def test_an_unknown_shell_is_answered_by_those_there_are():
    result = CliRunner().invoke(app, ["completion", "bsh"])
    assert result.exit_code == 2
    assert "'bsh' is not one of bash, zsh, fish; did you mean 'bash'?" in result.stderr


@pytest.fixture(scope="module")
def completed(tmp_path_factory):
    """What bash offers after the words of a command line, the last of them unfinished."""
    if BASH is None:
        pytest.skip("there is no bash")
    folder = tmp_path_factory.mktemp("bash")
    program = folder / "factored-bandits"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m factored_bandits "$@"\n')
    program.chmod(0o755)
    (folder / "mine.py").touch()
    (folder / "script").write_text(script("bash"))

    def complete(*words):
        listed = " ".join(f"'{word}'" for word in ("factored-bandits", *words))
        lines = [
            "source ./script",
            "complete -p factored-bandits >&2",
            f"COMP_WORDS=({listed})",
            f"COMP_CWORD={len(words)}",
            "compopt() { echo offers a file >&2; }",  # only an interactive bash has it here
            '_factored_bandits_completion factored-bandits && printf "%s\\n" "${COMPREPLY[@]}"',
        ]
        done = subprocess.run(
            [BASH, "--norc", "-c", "\n".join(lines)],
            capture_output=True,
            text=True,
            cwd=folder,
            env={**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"},
        )
        assert done.returncode == 0, done.stderr
        registered, *other = done.stderr.splitlines()
        assert registered.endswith("-F _factored_bandits_completion factored-bandits")
        return done.stdout.split(), other

    return complete


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["com"], ["compare", "completion"]),
        (["compare", "rank"], ["rank1"]),
        (["compare", "rank1", "--hor"], ["--horizon"]),
        (["policies", "flat-u"], ["flat_ucb1"]),
        (["environments", "identical"], ["identical_gap"]),
        (["reproduce", "--only", "dueling_0"], ["dueling_07", "dueling_095"]),
        (["simulate", "rank1", "--policy", "leader"], ["leader_tea"]),
        (["suite", "fac"], ["factored"]),
        (["plan", "--policies", "tea,uni"], ["tea,uniform", "tea,unimodal_thompson"]),
        (["compare", "no-such-problem", "--pol"], []),
    ],
)
def test_commands_options_and_names_are_completed(words, expected):
    found = ShellComplete(app, {}, PROGRAM, VARIABLE).get_completions(words[:-1], words[-1])
    assert [item.value for item in found] == expected


def test_bash_completes_a_list_of_policies_at_its_last_name(completed):
    found = completed("compare", "rank1", "--policies", "tea,")
    assert found == ([f"tea,{name}" for name in fb.policies.names()], [])


def test_bash_offers_files_where_a_policy_looks_like_one(completed):
    assert completed("simulate", "rank1", "--policy", "./mi")[1] == ["offers a file"]


def test_the_package_runs_as_the_command(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "factored_bandits", "--version"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert (done.returncode, done.stdout) == (0, f"factored-bandits {fb.__version__}\n")
