"""Exit codes that mean something, and one sentence that names what is wrong."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from click.testing import CliRunner

from factored_bandits.cli.app import app
from factored_bandits.simulation import compare as comparison
from factored_bandits.simulation.simulate import COMPILING

COMMAND = [sys.executable, "-m", "factored_bandits.cli"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ("compare rank1 --policies taa", "did you mean 'tea'"),
        ("compare rank1 --policies TEA", "Error: no policy named 'TEA'; did you mean 'tea'?\n"),
        (
            "compare rank1 --policies tea(bound=Betting)",
            "tea: bound must be 'paper' or 'hoeffding' or 'bernstein' or 'betting', not 'Betting'; "
            "did you mean 'betting'?",
        ),
        ("compar rank1", "No such command 'compar'. Did you mean 'compare'?"),
        ("suite factord", "'factord' is not one of factored, duels; did you mean 'factored'?"),
        ("compare rank1 --levels 1.5e0", "'--levels': '1.5e0' is not a whole number such as"),
        (
            "compare rank1 --seed 99999999999999999999",
            "'--seed': '99999999999999999999' is too large: it has 20 digits.",
        ),
        (
            "compare stochastically-constrained --best-moves maybe",
            "'--best-moves': 'maybe' is neither yes nor no.",
        ),
        ("compare rank1 --best nan", "'--best': 'nan' is not a number such as 0.2"),
        ("compare identical-gap --arms 1e6 --policies dueling_tea", "needs about 14.6 TiB"),
        ("compare rank1 --levels 100000000", "a problem with 2 factors of 100,000,000 levels"),
        (
            "compare table --means claims.npy",
            "claims.npy: an array of 300,000 x 300,000 numbers needs about 3.27 TiB of memory",
        ),
        (
            "compare table --means words.csv",
            "words.csv, line 1, column 1: expected a number, found",
        ),
        ("compare rank1 --policies uniform,uniform", "'uniform' is listed twice"),
        ("compare rank1 --policies flat_ucb1(beta=1)", "no parameter of flat_ucb1 named 'beta'"),
        (
            "compare rank1 --policies flat_ucb1(alpha=x)",
            "flat_ucb1: alpha must be a finite number, not 'x'",
        ),
        (
            "compare rank1 --policies flat_ucb1(alpha=f())",
            "value of alpha must be a number or a word",
        ),
        ("compare rank1 --policies dueling_tea", "dueling_tea plays duels"),
        ("compare rank1 --policies=", "policies is empty"),
        ("compare rank1 --horizon soon", "'--horizon': 'soon' is not a whole number"),
        ("compare rank1 --horizon 1.5", "'--horizon': '1.5' is not a whole number"),
        ("compare rank1 --horizon 1e999999999", "'--horizon'"),
        ("compare rank1 --horizon nan", "'--horizon'"),
        (
            "compare rank1 --horizon 1e16",
            "horizon must be a whole number from 1 to 1,000,000,000,000,000",
        ),
        ("compare rank1 --horizon -5", "horizon must be a whole number"),
        (
            "compare rank1 --policies uniform --repetitions 0",
            "repetitions must be a whole number",
        ),
        ("compare rank1 --policies uniform --seed -1", "seed must be a whole number"),
        ("compare rank1 --policies uniform --workers -1", "workers must be a whole number"),
        (
            "compare rank1 --levels many",
            "'--levels': 'many' is not a whole number such as 1000000 or 1e6",
        ),
        ("compare rank1 --levels 0", "levels must be a whole number from 1"),
        ("compare rank1 --gap 2", "gap must lie between 0"),
        ("compare rank1 --flavour sweet", "No such option"),
        ("compare rank-on", "no problem named 'rank-on'; did you mean 'rank1'"),
        ("compare cyclic --unit euro", "'--unit': 'euro' is not one of"),
        ("compare rank1 --plot regret.gif", "a figure ends in .png, .pdf or .svg"),
        ("compare rank1 --plot nowhere/regret.png", "no directory 'nowhere'"),
        ("compare rank1 --out all.txt", "--out 'all.txt': the results are written as .csv"),
        ("compare duels", "give --matrix FILE or --duels-log FILE"),
        (
            "compare duels --matrix wrong.csv --duels-log words.csv",
            "give --matrix FILE or --duels-log FILE, not both",
        ),
        (
            "compare duels --duels-log wrong.npy",
            "wrong.npy, line 1: expected a winner and a loser, found 'not numpy'",
        ),
        ("compare duels --matrix nowhere.txt", "'--matrix': File 'nowhere.txt' does not exist"),
        ("compare duels --matrix wrong.csv", "preferences[0][1] + preferences[1][0] = 0.7 + 0.4"),
        ("compare table --means words.csv", "--means 'words.csv' holds no array of numbers"),
        ("compare table --means wrong.npy", "--means 'wrong.npy' holds no array of numbers"),
        ("compare table --means words.txt", "must end in .npy or .csv"),
        ("compare table --means large.csv", "the mean of combination (0, 1) is 2"),
        ("simulate rank1", "Missing option '--policy'"),
        ("simulate rank1 --policy tea,uniform", "policy 'tea,uniform' is not written as name"),
        ("serve --port x", "'--port': 'x' is no port: a whole number from 0 to 65535 such as 8000"),
        ("serve --port 65536", "'--port': '65536' is no port"),
        ("serve --port -1", "'--port': '-1' is no port"),
        ("experiments keys create shop.db me --role reed", "did you mean 'read'"),
        ("policies nobody", "no policy named 'nobody'"),
        ("environments nowhere", "no environment named 'nowhere'"),
        ("demo --out wrong.csv/demo", "--out 'wrong.csv/demo'"),
        ("invent", "No such command 'invent'"),
        ("--loud", "No such option"),
    ],
)
def test_wrong_input_is_one_sentence_and_exit_code_2(arguments, complaint, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        comparison, "simulate", lambda *args, **kwargs: pytest.fail("ran in spite of wrong input")
    )
    if any(word in arguments for word in ("--repetitions", "--seed", "--workers")):
        monkeypatch.undo()  # simulate is who complains
        monkeypatch.chdir(tmp_path)
    (tmp_path / "wrong.csv").write_text("0.5, 0.7\n0.4, 0.5\n")
    (tmp_path / "words.csv").write_text("some, words\n")
    (tmp_path / "words.txt").write_text("some, words\n")
    (tmp_path / "large.csv").write_text("0.5,2\n")
    (tmp_path / "wrong.npy").write_bytes(b"not numpy")
    with (tmp_path / "claims.npy").open("wb") as file:
        header = {"descr": "<f8", "fortran_order": False, "shape": (300_000, 300_000)}
        np.lib.format.write_array_header_1_0(file, header)
    result = CliRunner().invoke(app, arguments.split())
    assert result.exit_code == 2, result.output
    assert complaint in result.stderr
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "option", ["--levels", "--factors", "--repetitions", "--horizon", "--seed"]
)
def test_whole_numbers_may_be_written_with_an_exponent(option):
    options = {"--levels": "3", "--factors": "2", "--repetitions": "1", "--horizon": "5"}
    arguments = [word for pair in {**options, option: "2e0"}.items() for word in pair]
    result = CliRunner().invoke(
        app, ["compare", "rank1", "--policies", "uniform", "--quiet", *arguments]
    )
    assert result.exit_code == 0, result.output


def test_no_traceback_and_the_exit_code_of_a_process():
    done = subprocess.run(
        [*COMMAND, "compare", "rank1", "--policies", "taa"], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("Error: no policy named 'taa'")
    assert "Traceback" not in done.stderr


def test_interrupted_before_anything_was_finished(monkeypatch):
    def stop(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(comparison, "simulate", stop)
    result = CliRunner().invoke(app, ["compare", "rank1", "--policies", "uniform", "--json"])
    assert (result.exit_code, result.stdout, result.stderr) == (130, "", "interrupted\n")


def test_ctrl_c_prints_what_is_finished():
    command = [*COMMAND, "compare", "rank1", "--levels", "3", "--policies"]
    subprocess.run(
        [*command, "uniform", "--horizon", "10", "--repetitions", "1"], check=True
    )  # compiles
    process = subprocess.Popen(  # about a minute of work
        [*command, "uniform,tea", "--horizon", "1e5", "--repetitions", "20000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    first = process.stderr.readline()  # the first sign of progress comes after two seconds
    time.sleep(5 if COMPILING in first else 1)  # some are finished, on a busy machine too
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "uniform on rank1" in first
    assert "interrupted: uniform only" in output
    assert "tea not run" in output
    assert errors.endswith("interrupted: only what was finished is shown\n")
    assert "Traceback" not in errors


def test_a_closed_pipe_is_no_drama():
    done = subprocess.run(
        f"{' '.join(COMMAND)} policies --json | head -n 1",
        shell=True,
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("[\n", "")
