"""The log of an agent: silent by default; what an operator must know, to those who listen."""

from __future__ import annotations

import logging
import subprocess
import sys

import pytest

import factored_bandits as fb
from factored_bandits.errors import BacklogWarning

FACTORS = {"ad": ["A", "B"], "position": ["top", "side"]}


def play(agent, rounds, reward):
    for _ in range(rounds):
        decision = agent.ask()
        agent.tell(decision.id, reward(decision))


def test_every_elimination_and_re_entry_is_logged_once(caplog):
    agent = fb.Agent("tea", factors=FACTORS, bound="betting", seed=1)
    seen = []
    known = {(row.factor, row.level): row.active for row in agent.status().rows}

    with caplog.at_level(logging.INFO, "factored_bandits"):
        for _ in range(900):
            # the best ad changes half way, so that levels re-enter
            swapped = agent.status().asked > 300
            decision = agent.ask()
            agent.tell(decision.id, float((decision.levels["ad"] == "B") != swapped))
            for row in agent.status().rows:
                if row.active != known[row.factor, row.level]:
                    known[row.factor, row.level] = row.active
                    happened = "re-enters" if row.active else "is eliminated until"
                    seen.append(f"{row.factor} {row.level!r} {happened}")

        agent.learn(0)  # what a call has changed is told by the next one

    told = [record.getMessage() for record in caplog.records]
    assert {record.levelname for record in caplog.records} == {"INFO"}
    assert any("re-enters" in sentence for sentence in seen)
    assert any("is eliminated" in sentence for sentence in seen)
    assert len(told) == len(seen)
    assert all(line.startswith(sentence) for line, sentence in zip(told, seen))


def test_an_elimination_names_the_round_until_which_it_lasts(caplog):
    agent = fb.Agent("dueling_tea", arms=["draft A", "draft B"], seed=1)
    with caplog.at_level(logging.INFO, "factored_bandits"):
        while all(row.active for row in agent.status().rows):
            play(agent, 1, lambda decision: float(decision.levels["first"] == "draft B"))
        agent.learn(0)  # what a call has changed is told by the next one

    (record,) = caplog.records
    status = agent.status()
    until = status.rows[0].reentry
    expected = f"arm 'draft A' is eliminated until round {until:,} (before round "
    assert record.getMessage() == f"{expected}{status.asked + 1:,})"


def test_a_loaded_agent_logs_changes_not_what_was_so_before(caplog):
    agent = fb.Agent("dueling_tea", arms=["draft A", "draft B"], seed=1)
    while all(row.active for row in agent.status().rows):
        play(agent, 1, lambda decision: float(decision.levels["first"] == "draft B"))
    with caplog.at_level(logging.INFO, "factored_bandits"):
        fb.Agent.load(agent.dump()).ask()
    assert caplog.records == []


def test_a_call_that_fails_logs_nothing(caplog):
    agent = fb.Agent("tea", factors=FACTORS, seed=1)
    with caplog.at_level(logging.INFO, "factored_bandits"):
        id = agent.ask().id
        with pytest.raises(fb.errors.RewardOutOfRangeError):
            agent.tell(id, 7.0)
    assert caplog.records == []


def test_a_growing_backlog_and_its_end_are_logged(caplog):
    agent = fb.Agent("uniform", factors=FACTORS)
    forgotten = agent.ask().id
    with caplog.at_level(logging.INFO, "factored_bandits"):
        with pytest.warns(BacklogWarning) as caught:
            play(agent, 5000, lambda decision: 1.0)
        agent.tell(forgotten, 1.0)
        agent.learn()
        play(agent, 100, lambda decision: 1.0)

    assert len(caught) == 1
    levels = [record.levelname for record in caplog.records]
    assert levels == ["WARNING", "WARNING", "INFO"]
    first, second, last = [record.getMessage() for record in caplog.records]
    assert first.startswith("decision 1 was asked 1,023 rounds ago and is not settled; 1,023 ")
    assert second.startswith("decision 1 was asked 4,095 rounds ago and is not settled; 4,095 ")
    assert last == "fewer than 1,000 answers wait for a decision again"


def test_decisions_that_expire_by_themselves_are_logged(caplog):
    agent = fb.Agent("uniform", factors=FACTORS, expire_after=3)
    with caplog.at_level(logging.INFO, "factored_bandits"):
        for _ in range(6):
            agent.ask()
    expired = [id for id in range(1, 7) if not agent.is_waiting(id)]
    assert expired
    told = [record.getMessage() for record in caplog.records]
    assert told == [f"1 expired without an answer: decision {id}" for id in expired]


def test_nothing_is_printed_by_a_program_that_does_not_listen():
    code = (
        "import warnings; warnings.simplefilter('ignore')\n"
        "import factored_bandits as fb\n"
        "agent = fb.Agent('uniform', factors={'ad': ['A', 'B']})\n"
        "agent.ask()\n"
        "for _ in range(1200): agent.tell(agent.ask().id, 1.0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
