"""The summary of `reproduce`: counts, failures with their reasons, on one screen."""

from __future__ import annotations

import pytest

from factored_bandits.cli.claims import claims_table, show_claims, summary_lines
from factored_bandits.report.claims import Claim, reason_of, tally

LONG = "; ".join(
    f"K={k}: dueling_tea {k},000 +- 100, other {k},500 +- 90 (fails)" for k in range(9)
)


def claims():
    """As many as the paper gives: 38 of its own and 21 of ours."""
    verdicts = ["holds"] * 30 + ["fails"] * 3 + ["undecided"] * 5
    papers = [
        Claim(
            "one", f"Section {i}: a sentence of the usual length about TEA and its peers", LONG, v
        )
        for i, v in enumerate(verdicts)
    ]
    ours = [
        Claim("delay", f"expectation {i}", f"tea {i} +- 1", v, unit="regret", ours=True)
        for i, v in enumerate([*["fails"] * 3, *["holds"] * 9, *["undecided"] * 9])
    ]
    return [*papers, *ours]


def test_two_counts():
    lines = list(summary_lines(claims()))
    assert lines[:2] == [
        "38 sentences of the paper: 30 hold, 3 fail, 5 are undecided",
        "21 expectations of our own: 9 hold, 3 fail, 9 are undecided",
    ]
    assert sum("less is better" in line for line in lines) == 1


@pytest.mark.parametrize("width", [80, 100])
def test_it_fits_on_one_screen(width):
    lines = list(summary_lines(claims(), width))
    assert len(lines) <= 36
    assert max(map(len, lines)) <= width


def test_failures_are_told_with_their_reasons():
    text = "\n".join(summary_lines(claims()))
    for i in range(30, 33):
        assert f"fails: Section {i}: a sentence" in text
    assert "fails (ours): expectation 1\n    [regret] tea 1 +- 1\n" in text
    assert "Section 3:" not in text, "what holds is on the page"
    assert "expectation 5" not in text, "and so is what is undecided"


def test_nothing_of_ours_and_nothing_of_the_papers():
    only = [Claim("delay", "it is cheap", "5 +- 1", "holds", ours=True)]
    assert (
        next(iter(summary_lines(only)))
        == "1 expectation of our own: 1 holds, 0 fail, 0 are undecided"
    )
    assert len(list(summary_lines([]))) == 2


def test_the_reason_is_what_fails():
    parts = [("K=8: tea 3 (holds)", "holds"), ("K=16: tea 9 (fails)", "fails")]
    claim = Claim("one", "s", "K=8: ...; K=16: ...", "fails", reason=reason_of(parts, "fails"))
    assert claim.decided_by == "K=16: tea 9"
    assert Claim("one", "s", "m", "fails").decided_by == "m"


def test_verbose_prints_two_tables(capsys):
    show_claims(claims())
    text = capsys.readouterr().out
    papers, _, ours = text.partition("we expect")
    assert papers.startswith("the paper says")
    assert tally(claims()[:38]) in papers
    assert tally(claims()[38:]) in ours
    assert "expectation 5" in ours
    assert claims_table(claims()[38:], "we expect").rows[0] == (
        "expectation 0",
        "[regret] tea 0 +- 1",
        "fails",
    )
