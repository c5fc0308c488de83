"""`arena`: it finds the best, spends what it may, and ends for a reason."""

from __future__ import annotations

import asyncio
import functools
import threading
from collections import Counter

import pytest
from simulated_judges import STRENGTHS, Simulated

import factored_bandits as fb
from factored_bandits.core.distributions.binomial import at_least
from factored_bandits.errors import InvalidInputError
from factored_bandits.judges.duels import Duels
from factored_bandits.judges.settings import settings

NAMES = list(STRENGTHS)
QUIET = {"progress": False}
RARE = 1e-4  # the probability with which a test of random numbers may fail


def played(judge, candidates=NAMES, *, budget=400, concurrency=1, **options):
    run = fb.arena(
        candidates, judge, budget=budget, concurrency=concurrency, **{**QUIET, **options}
    )
    return asyncio.run(run)


def test_the_best_is_found_and_certified():
    result = played(Simulated(), budget=1000, concurrency=8)
    assert (result.best, result.top, result.stopped) == ("d", ("d",), "certificate")
    assert result.confidence >= 0.95
    assert result.calls < 400


@pytest.mark.parametrize("swap", [True, "both"])
def test_same_seed_and_same_verdicts_give_the_same_run(swap):
    runs = [played(Simulated(), items=["x", "y"], swap=swap, seed=7) for _ in range(2)]
    assert runs[0].entries == runs[1].entries
    assert runs[0].entries != played(Simulated(), items=["x", "y"], swap=swap, seed=8).entries


def test_a_judge_may_be_anything_that_can_be_called():
    threads = set()

    def plain(a, b):
        threads.add(threading.current_thread().name)
        return a > b

    async def coroutine(a, b):
        threads.add(threading.current_thread().name)
        return a > b

    class Judge:
        async def __call__(self, a, b):
            return await coroutine(a, b)

    partial = functools.partial(coroutine)
    for judge in (plain, coroutine, partial, Judge(), lambda a, b: coroutine(a, b)):
        assert played(judge, ["a", "b"]).best == "b"
    assert threads == {"judge", "MainThread"}


def test_a_mapping_gives_names_to_what_the_judge_sees():
    seen = set()

    def judge(a, b):
        seen.update((a["text"], b["text"]))
        return len(a["text"]) > len(b["text"])

    result = played(judge, {"one": {"text": "x"}, "two": {"text": "xxx"}})
    assert result.best == "two"
    assert seen == {"x", "xxx"}


def test_the_items_are_drawn_evenly_and_independently_of_the_pair():
    judge = Simulated(dict.fromkeys("ab", 0.0))
    played(judge, ["a", "b"], items=["i", "j"], budget=120, stop_at=None)
    counts = Counter(item for *_, item in judge.asked)
    assert at_least(max(counts.values()), 120, 0.5) > RARE


# ------------------------------------------------------------ the budget


def test_no_more_calls_than_allowed_whatever_fails():
    judge = Simulated()

    async def flaky(a, b):
        await asyncio.sleep(0)
        if judge.random.random() < 0.3:
            judge.asked.append((a, b))
            raise ValueError("no verdict in the text")
        return judge.verdict(a, b)

    result = played(flaky, budget=50, concurrency=8, backoff=0.0, stop_at=None)
    assert len(judge.asked) == result.calls == 50
    assert result.stopped == "calls"
    assert result.failed > 0


@pytest.mark.parametrize(("price", "calls"), [(0.1, 20), (0.3, 7)])
def test_no_more_money_than_allowed(price, calls):
    async def judge(a, b):
        await asyncio.sleep(0)
        return fb.Verdict(0.5, cost=price)

    result = played(judge, budget=fb.Budget(cost=2.0))
    assert (result.calls, result.stopped) == (calls, "cost")
    # prices are known after the first answers only: those in flight then may exceed it
    result = played(judge, budget=fb.Budget(cost=2.0), concurrency=8)
    assert calls <= result.calls <= max(calls, 8)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"budget": 0}, "budget must be a whole number from 1, not 0"),
        ({"candidates": ["a"]}, "candidates must be at least two, there is nothing to compare"),
        ({"candidates": "abc"}, "candidates must be a list of labels, not 'abc'"),
        ({"judge": "gpt"}, "judge must be a function, not 'gpt'"),
        (
            {"judge": lambda a, b: 1, "items": ["x"]},
            "judge is called as judge(a, b, item), because there are items; yours takes (a, b)",
        ),
        (
            {"judge": lambda a, b, item: 1},
            "judge is called as judge(a, b); yours takes (a, b, item)",
        ),
        ({"items": []}, "items is empty; give at least one, or leave it out"),
        ({"items": "abc"}, "items must be a list, not 'abc'"),
        ({"swap": False}, "swap=False is not offered: judges favour a side"),
        ({"swap": "yes"}, "swap must be True or 'both', not 'yes'"),
        ({"stop_at": 95}, "stop_at must lie between 0 and 1, not 95"),
        ({"journal": 7}, "journal must be the path of a file, not 7"),
        ({"tries": 0}, "tries must be a whole number from 1, not 0"),
        ({"timeout": -1}, "timeout must be a positive number of seconds or None, not -1"),
        ({"backoff": -1}, "backoff must be a number of seconds from 0, not -1"),
        ({"policy": "tea"}, "tea needs factors="),
        (
            {"policy": "savage", "budget": fb.Budget(cost=1.0)},
            "savage must know how many calls there will be: give budget=Budget(calls=",
        ),
    ],
)
def test_a_wrong_argument_is_named(arguments, message):
    given = {"candidates": NAMES, "judge": Simulated(), "budget": 10, **arguments}
    for run in (lambda: asyncio.run(fb.arena(**given)), lambda: fb.arena_sync(**given)):
        with pytest.raises(InvalidInputError) as caught:
            run()
        assert message in str(caught.value)


def test_a_budget_has_a_limit():
    with pytest.raises(InvalidInputError, match="a budget needs a limit"):
        fb.Budget()
    with pytest.raises(InvalidInputError, match="cost must be a positive number, not 0"):
        fb.Budget(cost=0)


# ------------------------------------------------------------ sides


@pytest.mark.parametrize("policy", ["dueling_leader_tea", "dueling_uniform", "winner_stays"])
def test_every_pair_is_shown_in_both_orders_at_random(policy):
    judge = Simulated(dict.fromkeys("abc", 0.0))
    result = played(judge, ["a", "b", "c"], policy=policy, budget=100, stop_at=None)
    pairs = Counter(tuple(sorted(pair)) for pair in judge.asked)
    firsts = Counter(pair for pair in judge.asked if pair[0] < pair[1])
    assert result.calls == 100
    for pair, n in pairs.items():
        assert min(at_least(firsts[pair], n, 0.5), at_least(n - firsts[pair], n, 0.5)) > RARE


def test_a_judge_that_looks_at_the_side_only_is_found_out():
    def judge(a, b):
        return 1

    result = played(judge, ["a", "b"], budget=100)
    assert result.bias[:1] == (1.0,)
    assert result.bias.low > 0.95
    assert result.top == ("a", "b")
    assert "not told apart at confidence 0.95: a, b" in str(result)
    assert "the candidate shown first won 100% of 100 verdicts" in str(result)


def test_the_interval_of_the_bias_holds_the_truth():
    equal = dict.fromkeys(NAMES, 0.0)
    result = played(Simulated(equal, first=0.8), budget=150)
    even = played(Simulated(equal), budget=150)
    assert result.bias.low > 0.5
    assert even.bias.low < 0.5 < even.bias.high


def test_both_orders_cancel_a_judge_that_looks_at_the_side():
    shown = []

    def judge(a, b, item):
        shown.append((a, b, item))
        return 1

    result = played(judge, ["a", "b"], swap="both", items=[1, 2, 3], budget=40)
    assert result.confidence == 0.0
    for one, other in zip(shown[::2], shown[1::2], strict=True):
        assert (one[1], one[0], one[2]) == other


def test_both_orders_agree_on_the_better_one():
    result = played(lambda a, b: a > b, ["a", "b"], swap="both", budget=100)
    assert result.best == "b"
    assert result.stopped == "certificate"
    assert result.calls % 2 == 0


# ------------------------------------------------------------ traps


@pytest.mark.parametrize("policy", ["self_sparring", "rucb"])
def test_a_policy_that_has_settled_ends_the_run(policy):
    result = played(
        lambda a, b: a > b, ["a", "b"], policy=policy, budget=10_000, stop_at=None, concurrency=4
    )
    assert result.stopped == "settled"
    assert result.best == "b"
    assert result.calls < 500
    assert "stopped because the policy has nothing more to ask" in str(result)


@pytest.mark.parametrize("policy", ["sparring", "multi_sbm", "doubler"])
def test_calls_in_flight_do_not_mislead_who_counts_duels_with_itself(policy):
    """A judge who is never wrong; without waiting for verdicts half of these runs name another."""
    names = [
        played(
            lambda a, b: a > b, policy=policy, budget=200, stop_at=None, concurrency=8, seed=seed
        ).best
        for seed in range(4)
    ]
    assert set(names) == {max(STRENGTHS)}


@pytest.mark.parametrize("policy", fb.policies.names("duel"))
def test_every_policy_takes_a_judge_who_cannot_decide(policy):
    result = played(lambda a, b: 0.5, policy=policy, budget=30, concurrency=4)
    assert result.stopped in ("calls", "settled", "certificate")
    assert {entry.value for entry in result.answers} == {0.5}
    assert result.bias.verdicts == 0
    assert sum(tally.ties for tally in result.tallies.values()) == 2 * result.calls


def test_a_tie_is_an_even_draw_for_policies_that_take_none(monkeypatch):
    told = []
    tell = fb.Agent.tell
    monkeypatch.setattr(
        fb.Agent, "tell", lambda self, id, reward: (told.append(reward), tell(self, id, reward))
    )
    result = played(lambda a, b: 0.5, policy="dts", budget=30)
    assert len(told) >= result.calls == 30
    assert set(told) == {0.0, 1.0}

    how = settings(
        budget=30,
        concurrency=8,
        stop_at=None,
        likely_at=None,
        journal=None,
        progress=False,
        tries=1,
        timeout=None,
        backoff=0.0,
    )
    duels = Duels(NAMES, Simulated(), None, True, "dts", 3, how)
    wins = sum(duels.no_evidence(ask) for ask in range(1, 2001))
    assert min(at_least(wins, 2000, 0.5), at_least(2000 - wins, 2000, 0.5)) > RARE


def test_the_last_verdicts_are_learned_though_the_certificate_was_reached_before():
    judge = Simulated()
    result = played(judge, budget=1000, concurrency=8)
    assert result.stopped == "certificate"
    assert len(judge.asked) == result.calls == len(result.answers)


def test_what_a_policy_does_not_prove_is_not_claimed():
    result = played(Simulated(), policy="rmed1", budget=20)
    assert result.confidence is None
    assert result.top == tuple(NAMES)
    assert "rmed1 proves nothing, so nobody is ruled out" in str(result)
