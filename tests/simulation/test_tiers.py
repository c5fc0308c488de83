"""Runs that begin in plain Python and go over to compiled code: the same numbers, no waiting."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.core import kept, loop
from factored_bandits.core.kernel import compiles
from factored_bandits.errors import InvalidInputError
from factored_bandits.simulation import compilers, tiers, warming
from factored_bandits.simulation.runner import Runner

needs_compiler = pytest.mark.skipif(not compiles(), reason="nothing is compiled here")

RUN = """
import json, sys
import factored_bandits as fb
from factored_bandits.simulation import tiers

tiers.WORTH = {worth}
forms = []
note = tiers.Tiers.note.fget
tiers.Tiers.note = property(lambda self: forms.append(self.is_compiled) or note(self))
problem = fb.environments.spiked(3)
result = fb.simulate("uniform", problem, {rounds}, 2, seed=3, checkpoints=5, progress=False)
told = dict(
    regret=result.regret[:, -1].tolist(),
    plays=[play.tolist() for play in result.plays],
    compiled=sorted(set(forms)),
    compiler="numba" in sys.modules,
)
print(json.dumps(told))
"""


def run_alone(folder, worth: float, rounds: int) -> dict:
    """A run in a process of its own, with an empty folder for compiled loops."""
    done = subprocess.run(
        [sys.executable, "-c", RUN.format(worth=worth, rounds=rounds)],
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def in_plain_python(rounds: int) -> fb.Result:
    problem = fb.environments.spiked(3)
    return fb.simulate(
        "uniform", problem, rounds, 2, seed=3, checkpoints=5, progress=False, compiled=False
    )


@needs_compiler
def test_a_short_run_does_not_even_import_the_compiler(tmp_path):
    told = run_alone(tmp_path, tiers.WORTH, 500)
    assert not told["compiler"]
    assert told["compiled"] == [False]
    assert not list(tmp_path.iterdir())
    assert told["regret"] == in_plain_python(500).regret[:, -1].tolist()


@needs_compiler
def test_a_long_run_changes_to_compiled_code_with_the_same_numbers(tmp_path):
    told = run_alone(tmp_path, 0.0, 2_000_000)
    assert told["compiled"] == [False, True]
    assert len(list(tmp_path.glob("*/loop.play_uniform_*.nbi"))) == 1

    # The next run finds it, and begins compiled.
    again = run_alone(tmp_path, 0.0, 2_000_000)
    assert again["regret"] == told["regret"]
    assert again["plays"] == told["plays"]
    problem = fb.environments.spiked(3)
    waited = fb.simulate("uniform", problem, 2_000_000, 2, seed=3, checkpoints=5, progress=False)
    assert waited.regret[:, -1].tolist() == told["regret"]


def test_plain_python_only():
    problem = fb.environments.spiked(3)
    runs = [
        fb.simulate("tea", problem, 300, 2, seed=1, progress=False, compiled=form)
        for form in (False, True)
    ]
    assert np.array_equal(runs[0].regret, runs[1].regret)


@needs_compiler
def test_what_cannot_be_compiled_elsewhere_is_compiled_here(monkeypatch):
    monkeypatch.setattr(compilers.sys, "executable", "/bin/false")
    monkeypatch.setattr(tiers, "may_be_kept", lambda loop, name: False)
    monkeypatch.setattr(tiers, "WORTH", 0.0)
    runner = Runner(fb.policies.make("uniform"), fb.environments.spiked(3), np.array([10**6]), 3)
    both = tiers.Tiers(runner, 1e6)
    record = runner.repetition(0, lambda index, t: False, both)
    both.close()

    assert both.is_compiled
    waited = runner.repetition(0, lambda index, t: False)
    assert record.regret.tolist() == waited.regret.tolist()


def test_another_form_is_refused():
    with pytest.raises(InvalidInputError, match="compiled must be 'auto', True or False"):
        fb.simulate("tea", fb.environments.spiked(3), 10, compiled="fast")


def sleeper() -> compilers.Compiler:
    """A process that does nothing for a minute."""
    return compilers.Compiler(sys.executable, "-c", "import time; time.sleep(60)")


def runner_of(policy: str) -> Runner:
    return Runner(fb.policies.make(policy), fb.environments.spiked(3), np.array([10]), 0)


def test_jobs_wait_for_a_place_and_are_shared():
    pool = compilers.Compilers(slots=1, start=sleeper)
    first, second = pool.want([runner_of("uniform")]), pool.want([runner_of("tea")])
    shared = pool.want([runner_of("tea")])
    assert shared is second
    assert (first.running, second.running) == (True, False)

    pool.leave(first)
    assert first.ended
    assert first.failed
    assert second.running  # the place was free

    pool.leave(second)
    assert not second.ended  # somebody else wants it
    pool.leave(shared)
    assert second.ended


def test_the_first_that_is_wanted_brings_the_next_with_it(monkeypatch):
    monkeypatch.setattr(compilers, "may_be_kept", lambda loop, name: False)
    pool = compilers.Compilers(slots=2, start=sleeper)
    with pool.ahead([runner_of("tea"), runner_of("flat_ucb1")]):
        assert not pool._running
        first = pool.want([runner_of("uniform")])
        running = list(pool._running)
        assert [job.label for job in running] == ["uniform", "tea"]
    assert all(job.ended for job in running if job is not first)
    pool.leave(first)


# Answers every job at once: what it reads, it does not compile.
ANSWERS = """
import pickle, sys
while True:
    pickle.load(sys.stdin.buffer)
    sys.stdout.buffer.write(bytes([{answer}]))
    sys.stdout.buffer.flush()
"""


def wait_for(pool: compilers.Compilers, jobs: list[compilers.Job]) -> None:
    for _ in range(6_000):
        if all(job.ended for job in jobs):
            return
        time.sleep(0.01)
        pool.poll()
    raise AssertionError("nobody has answered for a minute")


def test_one_process_does_several_jobs_and_then_makes_room_for_a_new_one(monkeypatch):
    monkeypatch.setattr(compilers, "MOST_JOBS", 2)
    started = []

    def start() -> compilers.Compiler:
        answer = compilers.DONE if not started else compilers.NOT_KEPT
        started.append(compilers.Compiler(sys.executable, "-c", ANSWERS.format(answer=answer)))
        return started[-1]

    pool = compilers.Compilers(slots=1, start=start)
    policies = ["uniform", "tea", "flat_ucb1"]
    jobs = [pool.want([runner_of(policy)]) for policy in policies]
    wait_for(pool, jobs)
    assert [job.failed for job in jobs] == [False, False, True]
    assert [compiler.begun for compiler in started] == [2, 1]

    pool.poll()
    for compiler in started:
        compiler.process.wait(60)  # nothing is left to do


def test_a_job_whose_process_dies_has_failed_and_the_next_one_has_another():
    die = "import sys; sys.stdin.buffer.read(1)"
    pool = compilers.Compilers(slots=1, start=lambda: compilers.Compiler(sys.executable, "-c", die))
    jobs = [pool.want([runner_of(policy)]) for policy in ("uniform", "tea")]
    wait_for(pool, jobs)
    assert all(job.failed for job in jobs)
    pool.poll()


@pytest.mark.parametrize("chosen", [True, False])
def test_a_loop_on_disk_is_found_without_the_compiler(tmp_path, monkeypatch, chosen):
    source = tmp_path / "tiny.py"
    source.write_text("def play(x):\n    return x\n")
    names: dict = {}
    exec(compile(source.read_text(), str(source), "exec"), names)

    folder = tmp_path / "__pycache__"
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    if chosen:
        folder = tmp_path / "elsewhere" / "tiny_0123"
        monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "elsewhere"))
    folder.mkdir(parents=True)

    assert not kept.may_be_kept(names["play"], "play_tiny_1")
    (folder / "tiny.play_tiny_1-1.py311.nbi").write_text("")
    assert kept.may_be_kept(names["play"], "play_tiny_1")
    assert not kept.may_be_kept(names["play"], "play_tiny")


def test_where_nothing_can_be_written_it_may_lie_in_another_folder(monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(kept.os, "access", lambda path, mode: False)
    assert kept.may_be_kept(loop.play, "play_of_nobody")


@needs_compiler
def test_what_one_worker_plays_is_compiled_where_it_plays(monkeypatch):
    runners = [runner_of("uniform"), runner_of("tea"), runner_of("uniform")]
    compiled = []
    monkeypatch.setattr(Runner, "compile", lambda self: compiled.append(self.policy.name))
    monkeypatch.setattr(warming, "may_be_kept", lambda loop, name: "_tea_" in name)
    warming.compile_here(runners, progress=False)
    assert compiled == ["uniform"], "once, and not what is there already"
