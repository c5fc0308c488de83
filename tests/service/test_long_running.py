"""What a server does because it runs for long: compiled steps from the start, one core."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from served import serving, shop_at
from shop import CONFIG

from factored_bandits.agent import warm
from factored_bandits.core.kernel import compiles
from factored_bandits.service.config import made
from factored_bandits.service.engine import Ask, Engine, Read
from factored_bandits.service.fingerprint import fingerprint
from factored_bandits.service.store import SqliteStore

compiler = pytest.mark.skipif(not compiles(), reason="nothing is compiled here")
linux = pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="cores are for Linux")


def engine_at(place: Path, *, ahead: bool) -> tuple[Engine, int]:
    """An engine without threads that serves a shop of its own."""
    engine = Engine(SqliteStore(place), writers=0, ahead=ahead)
    config = made({**CONFIG, "policy": "marginal_thompson"}, {})[0]
    row = engine.store.create("home", config.text(), fingerprint())
    return engine, engine.serve(row).id


@compiler
@pytest.mark.parametrize("ahead", [False, True])
def test_compiled_steps_are_used_from_the_first_one_on(tmp_path, ahead):
    warm("marginal_thompson")
    engine, number = engine_at(tmp_path / "shop.db", ahead=ahead)
    engine.load_ahead()
    engine.call(number, Ask())
    assert engine.call(number, Read(look=lambda agent: agent.compiled)) is ahead
    engine.close()


def test_an_experiment_that_cannot_be_loaded_does_not_keep_a_server_from_starting(tmp_path):
    engine, _ = engine_at(tmp_path / "shop.db", ahead=True)
    config = made(CONFIG, {})[0].text().replace("tea", "a policy of tomorrow")
    engine.store.create("tomorrow", config, fingerprint())
    engine.load_ahead()
    engine.close()


@linux
def test_a_server_stays_on_its_core(tmp_path):
    pytest.importorskip("uvicorn", reason="the extra [serve] is not installed")
    core = max(os.sched_getaffinity(0))
    shop_at(tmp_path / "shop.db")
    with serving(tmp_path / "shop.db", "--core", str(core)) as (process, _):
        threads = [int(each.name) for each in Path(f"/proc/{process.pid}/task").iterdir()]
        assert len(threads) > 1
        assert {frozenset(os.sched_getaffinity(each)) for each in threads} == {frozenset([core])}


@linux
def test_a_core_that_is_not_there_is_refused(tmp_path):
    pytest.importorskip("uvicorn", reason="the extra [serve] is not installed")
    command = [sys.executable, "-m", "factored_bandits", "serve", "--db", str(tmp_path / "s.db")]
    done = subprocess.run([*command, "--core", "100000"], capture_output=True, text=True)
    assert done.returncode != 0
    assert "--core must be one of" in done.stderr
