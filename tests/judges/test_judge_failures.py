"""Judges that fail: repeated, counted, given up; an error is never lost, and neither is a run."""

from __future__ import annotations

import asyncio
import time

import pytest
from simulated_judges import STRENGTHS, HTTPError, Simulated

import factored_bandits as fb
from factored_bandits.errors import InvalidInputError, JudgeError
from factored_bandits.judges.retries import Patience, is_refusal, retry_after

NAMES = list(STRENGTHS)


def played(judge, candidates=NAMES, **options):
    given = {"budget": 60, "concurrency": 1, "progress": False, "backoff": 0.0, **options}
    return asyncio.run(fb.arena(candidates, judge, **given))


class Flaky(Simulated):
    """Fails by turns, whatever is asked."""

    def __init__(self, *failures, **options):
        super().__init__(**options)
        self.failures = list(failures)
        self.tried = []

    async def __call__(self, *shown):
        self.tried.append(shown)
        failure = self.failures[len(self.tried) % len(self.failures)]
        if isinstance(failure, BaseException):
            raise failure
        return None if failure == "none" else self.verdict(*shown)


def failing_by_turns():
    return Flaky("work", HTTPError(429), ValueError("?"), "none")


def test_a_retry_is_a_new_decision():
    """A decision is asked once: it is answered, and learned, or taken back and counts nowhere."""
    judge = failing_by_turns()
    result = played(judge, items=list(range(50)), stop_at=None)
    asks = [entry.ask for entry in result.entries if entry.event in ("answer", "dropped")]
    assert len(set(asks)) == len(asks) == len(judge.tried)

    # an item is drawn anew, too: that the same one comes four times has probability 50 ** -3
    tried = judge.tried[: 4 * (len(judge.tried) // 4)]
    assert all(len(set(tried[n : n + 4])) > 1 for n in range(0, len(tried), 4))
    assert sum(tally.n for tally in result.tallies.values()) == 2 * len(result.answers)


@pytest.mark.parametrize("options", [{"policy": "dueling_tea"}, {"swap": "both"}], ids=str)
def test_a_retry_is_the_same_call_where_a_decision_cannot_be_taken_back(options):
    """A policy that needs an answer to each of its plays, or another call that is paid for."""
    judge = failing_by_turns()
    result = played(judge, items=list(range(50)), stop_at=None, **options)
    # three failures, then the answer: four times the same two, in the same order, on the same item
    tried = judge.tried[: 4 * (len(judge.tried) // 4)]
    for n in range(0, len(tried), 4):
        assert len(set(tried[n : n + 4])) == 1
    assert len(judge.asked) == len(result.answers)


def test_tries_are_counted_over_the_decisions_that_replace_each_other():
    judge = Simulated()

    async def works_at_the_third(a, b):
        judge.asked.append((a, b))
        if len(judge.asked) % 3:
            raise TimeoutError
        return 1.0

    result = played(works_at_the_third, tries=3, stop_at=None)
    assert (result.given_up, len(result.answers), result.failed) == (0, 20, 40)
    with pytest.raises(JudgeError, match="10 calls in a row were given up after 2 tries each"):
        played(Flaky(TimeoutError()), tries=2)


def test_what_may_have_been_paid_counts_and_what_was_refused_does_not():
    judge = Flaky("work", HTTPError(429), ValueError("?"), "none")
    result = played(judge, stop_at=None)
    assert (result.calls, result.failed, result.refused) == (60, 30, 60)
    assert "60 calls, 30 of them failed" in str(result)


def test_the_cost_of_a_failure_counts():
    async def judge(a, b):
        return fb.Verdict(None, cost=0.5)

    with pytest.raises(JudgeError) as caught:
        played(judge, tries=2)
    assert caught.value.result.cost == pytest.approx(10.0)
    assert caught.value.result.failed == 20


def test_a_call_is_given_up_after_its_tries_and_is_no_evidence():
    dead = {("a", "d"), ("d", "a")}
    judge = Simulated()

    async def picky(a, b):
        if (a, b) in dead and judge.random.random() < 0.7:
            raise TimeoutError
        return judge.verdict(a, b)

    result = played(picky, tries=3, budget=200, concurrency=8)
    assert result.given_up > 0
    assert result.failed >= 3 * result.given_up
    given_up = [entry for entry in result.entries if entry.event == "given up"]
    assert {frozenset(entry.call.values()) for entry in given_up} == {frozenset("ad")}
    assert sum(tally.given_up for tally in result.tallies.values()) == 2 * result.given_up
    assert f"{result.given_up} given up" in str(result)
    assert given_up[0].error == "TimeoutError"


def test_a_judge_that_stops_working_ends_the_run_with_what_was_found():
    judge = Simulated()

    async def dies(a, b):
        if len(judge.asked) >= 20:
            raise HTTPError(401)
        return judge.verdict(a, b)

    with pytest.raises(JudgeError) as caught:
        played(dies, tries=2)
    last = caught.value.result.entries[-1].call
    assert str(caught.value) == (
        "the judge does not work: 10 calls in a row were given up after 2 tries each, the last one "
        f"because of HTTPError: HTTP 401 ({last}). 20 answers had come before; nothing is lost: "
        "they are in the result of this error"
    )
    assert isinstance(caught.value.__cause__, HTTPError)
    assert caught.value.result.stopped == "failures"
    assert len(caught.value.result.answers) == 20


@pytest.mark.parametrize("sync", [True, False])
def test_a_mistake_in_the_judge_surfaces_at_once(sync):
    tried = []

    def judge(a, b):
        tried.append((a, b))
        return undefined_name  # noqa: F821

    async def coroutine(a, b):
        return judge(a, b)

    with pytest.raises(NameError, match="undefined_name"):
        played(judge if sync else coroutine, concurrency=4)
    assert len(tried) <= 4


def test_an_answer_that_is_none_surfaces_at_once():
    with pytest.raises(InvalidInputError, match="the judge must return 1 if the first is better"):
        played(lambda a, b: "A")
    with pytest.raises(InvalidInputError, match="cost of a call must be a number from 0, not -1"):
        played(lambda a, b: fb.Verdict(1, cost=-1))


def test_a_mistake_that_comes_later_is_repeated_like_any_other_failure():
    judge = Simulated()

    async def sometimes_wrong(a, b):
        if judge.random.random() < 0.2:
            return "I cannot decide"
        return judge.verdict(a, b)

    async def first_right(a, b):
        return judge.verdict(a, b) if not judge.asked else await sometimes_wrong(a, b)

    result = played(first_right, stop_at=None)
    assert result.calls == 60
    assert result.failed > 0


def test_a_judge_that_cancels_itself_does_not_cancel_the_run():
    """Libraries with cancel scopes of their own let such errors slip now and then."""
    judge = Simulated()

    async def slips(a, b):
        if judge.random.random() < 0.3:
            raise asyncio.CancelledError
        return judge.verdict(a, b)

    result = played(slips, budget=20, stop_at=None)
    assert (result.calls, result.stopped) == (20, "calls")
    assert "RuntimeError: the judge cancelled its own task" in {e.error for e in result.entries}


def test_cancelling_the_run_cancels_the_calls_and_is_not_swallowed():
    ended = []

    async def slow(a, b):
        try:
            await asyncio.sleep(60)
        finally:
            ended.append((a, b))

    async def impatient():
        async with asyncio.timeout(0.05):
            await fb.arena(NAMES, slow, budget=10, concurrency=3, progress=False)

    with pytest.raises(TimeoutError):
        asyncio.run(impatient())
    assert len(ended) == 3


def test_an_exit_inside_a_thread_is_not_swallowed():
    def judge(a, b):
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        played(judge)


# ------------------------------------------------------------ time


@pytest.mark.parametrize("sync", [True, False])
def test_a_call_that_hangs_is_repeated(sync):
    judge = Simulated()
    hung = []

    async def coroutine(a, b):
        if not hung:
            hung.append((a, b))
            await asyncio.sleep(60)
        return judge.verdict(a, b)

    def plain(a, b):
        if not hung:
            hung.append((a, b))
            time.sleep(0.2)
        return judge.verdict(a, b)

    result = played(plain if sync else coroutine, timeout=0.05, stop_at=None, budget=10)
    assert (result.calls, result.failed) == (10, 1)
    assert result.entries[0].error == "TimeoutError"


def test_waits_double_and_are_cut():
    patience = Patience(20, 120.0, 1.0)
    for tries, longest in ((1, 1.0), (2, 2.0), (5, 16.0), (20, 60.0)):
        waits = [patience.wait_after(tries, ValueError()) for _ in range(200)]
        assert longest / 2 <= min(waits) <= max(waits) <= longest


def test_a_service_is_taken_at_its_word():
    error = HTTPError(429, {"Retry-After": "7"})
    assert retry_after(error) == 7.0
    assert 7.0 <= Patience(5, 120.0, 1.0).wait_after(1, error) <= 8.0
    assert retry_after(HTTPError(429, {"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"})) is None
    assert is_refusal(error)
    assert not is_refusal(HTTPError(500))


def test_a_call_that_waits_does_not_let_the_others_run_far_ahead():
    """Decisions made while one is open are made from old knowledge: there are few of them."""
    judge = Simulated()

    async def stuck_once(a, b):
        await asyncio.sleep(0)
        judge.asked.append((a, b))
        if len(judge.asked) == 1:
            await asyncio.sleep(0.3)
        return judge.verdict(a, b)

    result = played(stuck_once, concurrency=2, budget=80, stop_at=None)
    asks = next(entry.asks for entry in result.entries if entry.ask == 1)
    assert 10 < asks <= 2 * 8 + 2


def test_retries_end_when_the_run_does():
    """Nobody waits a minute for the next try when the budget is spent."""
    judge = Simulated()
    began = time.monotonic()

    async def one_refused(a, b):
        await asyncio.sleep(0.001)
        if not judge.asked:
            judge.asked.append((a, b))
            raise HTTPError(429, {"Retry-After": "500"})
        return judge.verdict(a, b)

    result = played(one_refused, concurrency=2, budget=8, stop_at=None)
    assert result.stopped == "calls"
    assert len(result.answers) == 8
    assert time.monotonic() - began < 400
