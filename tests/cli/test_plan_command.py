"""`factored-bandits plan`: what it prints, and what it refuses."""

from __future__ import annotations

import fcntl
import json
import os
import struct
import subprocess
import sys
import termios

import pytest
from click.testing import CliRunner

import factored_bandits as fb
from factored_bandits.cli.app import app
from factored_bandits.planning import run as _run

ASSUMPTIONS = ["--factors", "3,2", "--base-rate", "0.3", "--lift", "0.8"]
SMALL = [
    *ASSUMPTIONS,
    "--policies",
    "tea,uniform",
    "--repetitions",
    "3",
    "--horizon",
    "5000",
    "--quiet",
]


def run(*arguments):
    return CliRunner().invoke(app, ["plan", *map(str, arguments)])


def test_a_sentence_and_two_tables():
    result = run(*SMALL, "--traffic", "100/hour")
    assert (result.exit_code, result.stderr) == (0, "")
    expected = fb.plan(
        fb.Assumptions((3, 2), 0.3, 0.8),
        2400,
        "tea,uniform",
        repetitions=3,
        horizon=5000,
        progress=False,
    )
    assert result.stdout == f"{expected}\n"
    assert " hours)" in result.stdout.splitlines()[0]


def test_rates_and_lifts_may_be_percentages():
    written = ["--factors", "3,2", "--base-rate", "30%", "--lift", "80 %,80%", "--quick"]
    expected = run(*ASSUMPTIONS, "--quick")
    assert expected.exit_code == 0
    assert run(*written).stdout == expected.stdout


def test_the_first_answer_comes_first_and_on_standard_error():
    loud = [argument for argument in SMALL if argument != "--quiet"]
    result = run(*loud, "--traffic", "20/day")
    first, _, rest = result.stderr.partition("\n")
    assert first.startswith("First estimate, within about 20 %: tea has decided everything after")
    assert "full factorial test (fixed size)" in rest
    assert "simulating tea; then uniform, flat_ucb1. Ctrl-C ends it" in rest
    assert result.stdout == run(*SMALL, "--traffic", "20/day").stdout


def test_only_the_first_answer(monkeypatch):
    monkeypatch.setattr(_run, "simulate", lambda *args, **kwargs: pytest.fail("simulated"))
    result = run(*SMALL, "--traffic", "20/day", "--quick")
    assert result.exit_code == 0
    assert result.stdout.startswith("First estimate")
    document = json.loads(run(*SMALL, "--quick", "--json").stdout)
    assert document["policies"] == []
    assert [each["policy"] for each in document["estimates"]] == ["tea"]
    assert document["estimates"][0]["estimated"] is True


def test_ctrl_c_at_once_shows_the_estimate(monkeypatch):
    def simulate(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(_run, "simulate", simulate)
    result = run(*SMALL, "--traffic", "20/day")
    assert result.exit_code == 130
    assert result.stdout.startswith("First estimate")
    assert "interrupted: tea not run" in result.stdout


def test_forty_columns():
    """On a real terminal of that width, where the plans on the way are drawn over each other."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 40, 0, 0))
    environment = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
    command = [sys.executable, "-m", "factored_bandits.cli", "plan", *ASSUMPTIONS, "--traffic", "1"]
    with subprocess.Popen(
        [*command, "--quick"], stdin=theirs, stdout=theirs, stderr=theirs, env=environment
    ):
        os.close(theirs)
        shown = b""
        while chunk := _read(ours):
            shown += chunk
    lines = shown.decode().splitlines()
    assert max(map(len, lines)) <= 40
    assert lines[0].startswith("First estimate")


def _read(terminal):
    try:
        return os.read(terminal, 65536)
    except OSError:  # how Linux says that the other end is closed
        return b""


def test_json_and_picture(tmp_path):
    plot = tmp_path / "plan.png"
    result = run(
        *SMALL, "--lift", "0.8,0.5", "--traffic", "70/week", "--no-flat", "--plot", plot, "--json"
    )
    document = json.loads(result.stdout)
    assert document["assumptions"]["lift"] == [0.8, 0.5]
    assert document["traffic_per_day"] == 10.0
    assert [each["policy"] for each in document["policies"]] == ["tea", "uniform"]
    assert document["files"] == {"plot": str(plot)}
    assert plot.stat().st_size > 1000


def test_ctrl_c_has_its_exit_code(monkeypatch):
    real = _run.simulate

    def simulate(policy, *args, **options):
        if policy.name == "uniform":
            raise KeyboardInterrupt
        return real(policy, *args, **options)

    monkeypatch.setattr(_run, "simulate", simulate)
    result = run(*SMALL)
    assert result.exit_code == 130
    assert "interrupted: uniform not run, flat_ucb1 not run" in result.stdout
    assert result.stderr == "interrupted: only what was finished is shown\n"


@pytest.mark.parametrize(
    ("option", "value", "complaint"),
    [
        ("--factors", "five", "--factors must be whole numbers such as 5,4,3, not 'five'"),
        ("--factors", "5,,3", "--factors must be whole numbers"),
        ("--factors", "5,1", "factors must be whole numbers from 2"),
        ("--base-rate", "low", "'--base-rate': 'low' is not a number such as 0.05 or 5%"),
        ("--base-rate", "5", "base_rate must lie between 0 and 1"),
        ("--base-rate", "0.9", "above 1; lower one of them"),
        ("--lift", "a fifth", "--lift must be a number such as 0.2 or 20%"),
        ("--lift", "-0.2", "lift must be above 0"),
        ("--lift", "0.1,0.2,0.3", "lift must be one number, or one for each of 2 factors"),
        ("--traffic", "much", "traffic must be a number above 0"),
        ("--traffic", "10/fortnight", "traffic must be a number above 0"),
        ("--traffic", "0/day", "traffic must be a number above 0"),
        ("--policies", "taa", "did you mean 'tea'"),
        ("--plot", "plan.gif", "a figure ends in .png, .pdf or .svg"),
        ("--horizon", "0", "horizon must be a whole number"),
    ],
)
def test_wrong_input_is_one_sentence_and_exit_code_2(option, value, complaint, monkeypatch):
    monkeypatch.setattr(
        _run, "simulate", lambda *args, **kwargs: pytest.fail("ran in spite of wrong input")
    )
    result = run(*SMALL, option, value)
    assert (result.exit_code, result.stdout) == (2, "")
    assert complaint in result.stderr
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1


def test_the_default_policies_are_those_of_the_library():
    from factored_bandits.cli.planning import POLICIES

    assert tuple(POLICIES.split(",")) == _run.DEFAULT_POLICIES
    assert [policy.label for policy in _run.chosen_policies(POLICIES)] == list(
        _run.DEFAULT_POLICIES
    )
