"""The journal: a run goes on from it as if nothing had happened, or refuses it in a sentence."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from simulated_judges import STRENGTHS, HTTPError, Simulated

import factored_bandits as fb
from disk import small_disk
from factored_bandits.errors import DumpError, InvalidInputError, JudgeError
from factored_bandits.judges.journal import Journal

NAMES = list(STRENGTHS)


def played(judge, journal, candidates=NAMES, **options):
    given = {"budget": 40, "concurrency": 1, "progress": False, "stop_at": None, **options}
    return asyncio.run(fb.arena(candidates, judge, journal=journal, **given))


@pytest.fixture
def journal(tmp_path) -> Path:
    return tmp_path / "run.jsonl"


def lines(journal: Path) -> list[dict]:
    return [json.loads(line) for line in journal.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("policy", [None, "rmed1", "savage"])
@pytest.mark.parametrize("swap", [True, "both"])
def test_a_run_in_pieces_is_the_run_in_one_piece(journal, policy, swap):
    """The same verdicts in the same order; the pieces end in the middle of a pair, too."""
    options = {"policy": policy, "swap": swap, "items": [1, 2, 3]}
    whole = played(Simulated(ties=0.2), journal, **options)

    parts = journal.with_name("parts.jsonl")
    judge = Simulated(ties=0.2)

    async def stops(*shown):
        if len(judge.asked) in (7, 20) and len(judge.asked) not in stopped:
            stopped.append(len(judge.asked))
            raise SystemExit
        return judge.verdict(*shown)

    stopped: list[int] = []
    for _ in range(2):
        with pytest.raises(SystemExit):
            played(stops, parts, **options)
    result = played(stops, parts, **options)

    assert stopped == [7, 20]
    assert result.entries == whole.entries
    assert parts.read_bytes() == journal.read_bytes()
    assert result.best == whole.best
    assert str(result) == str(whole)
    assert len(judge.asked) == 40  # no verdict was asked for twice


def test_a_larger_budget_goes_on(journal):
    judge = Simulated()
    assert played(judge, journal, budget=10).calls == 10
    assert played(judge, journal, budget=25, concurrency=4).calls == 25
    assert played(judge, journal, budget=25).calls == 25
    assert len(judge.asked) == 25


def test_a_finished_run_asks_nothing(journal):
    first = played(Simulated(), journal, budget=500, stop_at=0.95, concurrency=4)
    assert first.stopped == "certificate"

    async def nobody(a, b):
        raise AssertionError("asked")

    again = played(nobody, journal, budget=500, stop_at=0.95)
    assert again.stopped == "certificate"
    assert again.entries == first.entries
    assert again.confidence == first.confidence


@pytest.mark.parametrize("torn", [1, 10, 60])
def test_a_torn_last_line_is_dropped(journal, torn):
    judge = Simulated()
    played(judge, journal, budget=10)
    content = journal.read_bytes()
    journal.write_bytes(content[:-torn])
    assert played(judge, journal, budget=10).calls == 10
    assert len(judge.asked) == 11
    assert len(lines(journal)) == 11


def test_a_torn_first_line_is_begun_again(journal):
    played(Simulated(), journal, budget=1)
    header = journal.read_bytes().splitlines()[0]
    journal.write_bytes(header[: len(header) // 2])
    assert played(Simulated(), journal, budget=5).calls == 5
    assert len(lines(journal)) == 6


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"candidates": ["a", "b", "c"]},
            "candidates is ['a', 'b', 'c', 'd'], here ['a', 'b', 'c']",
        ),
        ({"seed": 4}, "seed is 0, here 4"),
        ({"policy": "rmed1"}, "policy is 'duel_top_two', here 'rmed1'"),
        ({"items": ["x"]}, "items is None, here [1, "),
        ({"swap": "both"}, "swap is True, here 'both'"),
    ],
)
def test_a_journal_of_another_run_is_refused(journal, change, message):
    played(Simulated(), journal, budget=5)
    before = journal.read_bytes()
    with pytest.raises(DumpError) as caught:
        played(Simulated(), journal, **change)
    assert f"the journal {str(journal)!r} is of another run: there, {message}" in str(caught.value)
    assert "or give another journal" in str(caught.value)
    assert journal.read_bytes() == before


def test_other_contents_under_the_same_names_are_another_run(journal):
    texts = {"one": "Answer briefly.", "two": "Think first."}
    played(lambda a, b: a > b, journal, texts, budget=3)
    with pytest.raises(DumpError, match="there, contents is"):
        played(lambda a, b: a > b, journal, {**texts, "two": "Think twice."}, budget=3)


@pytest.mark.parametrize("content", ["my notes\nof today\n", "my notes", "[1, 2]\n", '{"a": 1}\n'])
def test_another_file_is_refused_and_left_alone(journal, content):
    journal.write_text(content)
    with pytest.raises(DumpError, match=r"run\.jsonl' is no journal of a run"):
        played(Simulated(), journal)
    assert journal.read_text() == content


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"event"', "event", "line 4 of the journal {} is damaged"),
        ('"ask": 3', '"ask": -3', "line 4 of {} is no event of a run"),
        ('"value": ', '"value": "x", "cost": ', "line 4 of {} is no event of a run"),
        ('"first": "', '"first": "no ', "line 4 of {} does not follow from the lines before it"),
        ('"ask": 3', '"ask": 2', "line 4 of {} does not follow from the lines before it"),
    ],
)
def test_a_changed_line_is_refused(journal, old, new, message):
    played(Simulated(), journal, budget=6)
    content = journal.read_text().splitlines(keepends=True)
    assert old in content[3]
    journal.write_text("".join([*content[:3], content[3].replace(old, new), *content[4:]]))
    with pytest.raises(DumpError) as caught:
        played(Simulated(), journal)
    assert message.format(repr(str(journal))) in str(caught.value)


def test_a_later_version_is_refused(journal):
    played(Simulated(), journal, budget=1)
    journal.write_text(journal.read_text().replace('"version": 2', '"version": 3'))
    with pytest.raises(DumpError, match="has version 3; this library reads version 2"):
        played(Simulated(), journal)


def test_two_runs_do_not_share_a_journal(journal):
    judge = Simulated()

    async def meddler(a, b):
        if len(judge.asked) == 3:
            with pytest.raises(InvalidInputError, match="another run is writing the journal"):
                Journal(journal, {})
        return judge.verdict(a, b)

    assert played(meddler, journal, budget=10).calls == 10


def test_a_file_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(InvalidInputError, match="cannot be written: No such file or directory"):
        played(Simulated(), tmp_path / "missing" / "run.jsonl")
    with pytest.raises(InvalidInputError, match="cannot be written: Is a directory"):
        played(Simulated(), tmp_path)
    with pytest.raises(InvalidInputError, match="must be an ordinary file, which '/dev/null'"):
        played(Simulated(), "/dev/null")


def test_a_full_disk_surfaces_and_what_was_written_is_good(journal):
    judge = Simulated()
    with small_disk(1500), pytest.raises(OSError, match="the journal cannot be written"):
        played(judge, journal, concurrency=4)
    written = len(judge.asked)
    result = played(judge, journal)
    assert result.calls == 40
    assert len(judge.asked) <= 40 + 4  # at most what was in flight was lost
    assert 2 < written < 30


def test_failures_are_in_the_journal(journal):
    async def broken(a, b):
        raise ValueError("no verdict in:\nI like both")

    with pytest.raises(JudgeError, match=r"they are in '.*run\.jsonl', from which a new run goes"):
        played(broken, journal, tries=2, backoff=0.0)
    events = [line["event"] for line in lines(journal)[1:]]
    assert events == ["failed", "dropped", "failed", "given up"] * 10
    assert lines(journal)[1]["error"] == "ValueError: no verdict in: I like both"

    result = played(Simulated(), journal)
    assert (result.calls, result.failed, result.given_up) == (40, 20, 10)


def test_a_run_with_retries_goes_on_as_if_nothing_had_happened(journal, tmp_path):
    """Decisions that were taken back are in the journal, and are taken back again."""

    class Refusing(Simulated):
        async def __call__(self, *shown):
            value = self.verdict(*shown)
            if len(self.asked) % 3 == 0:
                raise HTTPError(429)
            return value

    whole = played(Refusing(), tmp_path / "whole.jsonl", budget=40, backoff=0.0)
    judge = Refusing()
    for budget in (7, 20, 40):
        result = played(judge, journal, budget=budget, backoff=0.0)
    assert journal.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert result.tallies == whole.tallies
    assert "dropped" in {line["event"] for line in lines(journal)[1:]}


def test_labels_of_any_language_and_numbers_survive(journal):
    names = ["Öl", "日本", "a,b\n", 7, 2.5, None]
    judge = Simulated(dict.fromkeys(names, 0.0))
    played(judge, journal, names, budget=10)
    result = played(judge, journal, names, budget=20)
    assert result.calls == 20
    assert len(judge.asked) == 20
