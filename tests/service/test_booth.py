"""The booth: who sees what, when a vote counts, and that the log hears of nothing else."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("starlette", reason="the extra [serve] is not installed")
from hall import Clock, Hall, better, in_file

from factored_bandits.service import verify
from factored_bandits.service.arena import ballots, links, tables
from factored_bandits.service.arena.booth import RECENT, Ended
from factored_bandits.service.arena.making import create, draft_of_texts
from factored_bandits.service.arena.reporting import report_of
from factored_bandits.service.arena.study import Rules
from factored_bandits.service.store import SqliteStore
from factored_bandits.service.transfer import copy_experiment


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def hall(tmp_path, clock):
    made = in_file(tmp_path, clock)
    yield made
    made.close()


@pytest.fixture
def opened(tmp_path):
    """Makes studies with other rules."""
    made = []

    def make(**options):
        folder = tmp_path / str(len(made))
        folder.mkdir()
        made.append(in_file(folder, **options))
        return made[-1]

    yield make
    for each in made:
        each.close()


def kinds(hall):
    return [event.kind for event in hall.log()]


def test_a_study_ends_with_the_right_winner(hall):
    voters = [hall.voter() for _ in range(5)]
    for number in range(200):
        shown = hall.judge(voters[number % 5], better)
        if isinstance(shown, Ended):
            break
    assert shown.reason == "decided"
    found = hall.report()
    assert found.original.top == ("A",)
    assert found.original.arena.best == "A"
    # no single voter can have done it
    assert all(row.colluders > 1 for row in found.original.candidates if row.name != "A")


def test_the_log_holds_votes_of_hashed_voters_and_verifies(hall):
    voter = hall.voter()
    for _ in range(4):
        hall.judge(voter, better)
    told = [event for event in hall.log() if event.kind == "tell"]
    assert [event.who for event in told] == [links.who(voter)] * 3  # the last can be taken back
    assert all(event.unit is None for event in hall.log())
    row = hall.store.find("vote")
    found = tables.looked(hall.store, verify.verify, row)
    assert found.fault is None
    assert found.recomputed == len(hall.log())


def test_the_agent_is_told_who_won_whatever_the_side(hall):
    voter = hall.voter()
    for _ in range(12):
        hall.judge(voter, better)
    sides = {ballot.swapped for ballot in hall.ballots()}
    assert sides == {False, True}
    asks = {event.decision: event.action for event in hall.log() if event.kind == "ask"}
    for event in hall.log():
        if event.kind == "tell":
            first, second = asks[event.decision]
            assert event.body == (1.0 if first < second else 0.0)


def test_a_vote_waits_until_the_next_one_or_some_seconds(hall, clock):
    voter = hall.voter()
    hall.judge(voter, better)
    assert kinds(hall) == ["ask"]
    hall.judge(voter, better)
    assert kinds(hall) == ["ask", "ask", "tell"]
    clock.go_on(hall.study.rules.undo - 1)
    hall.settle()
    assert kinds(hall).count("tell") == 1
    clock.go_on(2)
    hall.settle()
    assert kinds(hall).count("tell") == 2


def test_undo_shows_the_same_duel_again_and_leaves_no_trace_in_the_log(hall):
    voter = hall.voter()
    first = hall.judge(voter, lambda left, right: "1")
    second = hall.next(voter)
    before = kinds(hall)
    assert hall.run(hall.booth.undo(hall.study, voter))
    again = hall.next(voter)
    assert (again.token, again.arms) == (first.token, first.arms)
    assert kinds(hall) == before
    assert not hall.run(hall.booth.undo(hall.study, voter))
    # the other vote is the one that counts, and the duel after it is still there
    assert hall.vote(voter, again, "0")
    assert hall.next(voter).token == second.token
    assert hall.vote(voter, second, "1")
    assert [event.body for event in hall.log() if event.kind == "tell"] == [0.5]


def test_a_vote_that_was_told_cannot_be_taken_back(hall, clock):
    voter = hall.voter()
    hall.judge(voter, better)
    clock.go_on(hall.study.rules.undo + 1)
    hall.settle()
    assert not hall.run(hall.booth.undo(hall.study, voter))


def test_a_skipped_duel_is_shown_to_somebody_else(hall):
    one, other = hall.voter(), hall.voter()
    shown = hall.next(one)
    assert hall.run(hall.booth.skip(hall.study, one, shown.token))
    another = hall.next(one)
    assert another.decision != shown.decision
    assert hall.next(other).decision == shown.decision
    assert not hall.vote(one, shown, "1")  # it is no longer theirs
    assert kinds(hall) == ["ask", "ask"]


def test_whoever_skips_a_duel_sees_it_again_after_some_others(hall, clock):
    voter = hall.voter()
    seen = []
    for _ in range(2 * RECENT + 2):
        clock.go_on(1)
        shown = hall.next(voter)
        seen.append(shown.decision)
        hall.run(hall.booth.skip(hall.study, voter, shown.token))
    assert seen == [*range(1, RECENT + 2)] * 2
    assert kinds(hall) == ["ask"] * (RECENT + 1)


def test_one_voter_alone_may_skip_and_still_gets_an_answer(opened):
    hall = opened(liars=0)
    voter = hall.voter()
    hall.run(hall.booth.skip(hall.study, voter, hall.next(voter).token))
    for _ in range(40):
        shown = hall.judge(voter, better)
        if isinstance(shown, Ended):
            break
    assert shown.reason == "decided"


def test_a_duel_that_takes_too_long_goes_to_the_next_voter(hall, clock):
    slow, other = hall.voter(), hall.voter()
    shown = hall.next(slow)
    clock.go_on(hall.study.rules.patience - 1)
    assert hall.next(other).decision != shown.decision
    clock.go_on(2)
    third = hall.voter()
    assert hall.next(third).decision == shown.decision
    assert not hall.vote(slow, shown, "1")
    assert hall.next(slow).decision != shown.decision


def test_a_slow_voter_whom_nobody_waits_for_may_still_vote(hall, clock):
    voter = hall.voter()
    shown = hall.next(voter)
    clock.go_on(10 * hall.study.rules.patience)
    assert hall.next(voter).token == shown.token
    assert hall.vote(voter, shown, "1")


def test_a_closed_page_gives_its_duel_back_and_an_opened_one_takes_it_again(hall):
    one, other = hall.voter(), hall.voter()
    shown = hall.next(one)
    leave = hall.booth.leave
    assert hall.run(leave(hall.study, one, shown.token))
    assert hall.next(one).token == shown.token  # loaded anew
    # the message of the closed page may come after that of the opened one
    assert hall.run(leave(hall.study, one, shown.token))
    assert hall.vote(one, shown, "1")

    second = hall.next(one)
    hall.run(leave(hall.study, one, second.token))
    assert hall.next(other).decision == second.decision
    assert hall.next(one).decision != second.decision
    assert not hall.vote(one, second, "1")


def test_a_voter_has_no_more_votes_than_the_cap(opened):
    hall = opened(cap=3)
    voter = hall.voter()
    for _ in range(3):
        last = hall.judge(voter, better)
    assert hall.next(voter) == Ended("cap")
    # two windows: the second ballot was shown before the cap was reached
    assert hall.run(hall.booth.undo(hall.study, voter))
    assert hall.vote(voter, last, "1")
    with_two = opened(cap=1)
    voter = with_two.voter()
    first = with_two.judge(voter, better)
    with_two.run(with_two.booth.undo(with_two.study, voter))
    assert with_two.vote(voter, first, "1")
    assert not with_two.vote(voter, first, "2")
    assert with_two.next(voter) == Ended("cap")


def test_one_vote_of_a_voter_in_each_block(opened):
    hall = opened(policy="dueling_tea", cap=1000)  # whose blocks have several duels
    voters = [hall.voter() for _ in range(2)]
    waited = 0
    for number in range(90):
        shown = hall.judge(voters[number % 2], better)
        waited += isinstance(shown, Ended)
    mine = [ballot for ballot in hall.ballots() if ballot.voter == voters[0]]
    assert len({ballot.block for ballot in mine}) == len(mine)
    blocks = {}
    for ballot in hall.ballots():
        blocks.setdefault(ballot.block, []).append(ballot)
    assert max(map(len, blocks.values())) == 2  # each of the two, once
    assert waited  # the other duels of a block are for others
    third = hall.voter()
    assert hall.next(third).block == min(blocks)


def test_those_who_come_at_once_have_different_duels_and_one_vote_each(opened):
    hall = opened(cap=1)
    voters = [hall.voter() for _ in range(8)]

    async def together(*work):
        return await asyncio.gather(*work)

    shown = hall.run(together(*(hall.booth.next(hall.study, voter) for voter in voters)))
    assert len({ballot.decision for ballot in shown}) == 8
    first = shown[0]
    casts = [hall.booth.vote(hall.study, voters[0], first.token, choice) for choice in "1201"]
    assert sorted(hall.run(together(*casts))) == [False, False, False, True]
    # a ballot is nobody else's
    assert not hall.vote(voters[0], shown[1], "1")
    assert not hall.run(hall.booth.skip(hall.study, voters[0], shown[1].token))


def test_ties_are_a_fair_coin_where_the_policy_takes_none(opened):
    hall = opened(policy="rcs", cap=1000)
    voter = hall.voter()
    for _ in range(40):
        if isinstance(hall.judge(voter, lambda left, right: "0"), Ended):
            break
    told = [event.body for event in hall.log() if event.kind == "tell" and event.who]
    votes = [ballot for ballot in hall.ballots() if ballot.status == "counted"]
    assert len(votes) > 20
    assert set(told) == {0.0, 1.0}
    assert hall.report().original.arena.tallies["A"].ties > 0  # what people said stays a tie


def test_duels_of_an_arm_with_itself_are_never_shown(opened):
    hall = opened(names="AB", policy="dueling_leader_tea", liars=0, alpha=1e-9, cap=1000)
    voter = hall.voter()
    for _ in range(60):
        shown = hall.judge(voter, better)
        if isinstance(shown, Ended):
            break
        assert shown.first != shown.second
    # the policy has its winner, and asks nothing for the next thousand rounds
    assert shown.reason == "settled"
    settled = [event for event in hall.log() if event.who == "self-duel"]
    assert [event.body for event in settled] == [0.5]
    tallies = hall.report().original.arena.tallies
    assert tallies["A"].ties == 0


def test_what_is_lost_between_agent_and_note_is_told_once(hall, clock, monkeypatch):
    voter = hall.voter()
    hall.judge(voter, better)
    clock.go_on(60)
    with monkeypatch.context() as patch:
        patch.setattr(ballots, "told", lambda *given: (_ for _ in ()).throw(RuntimeError("gone")))
        with pytest.raises(RuntimeError):
            hall.settle()
    assert kinds(hall) == ["ask", "tell"]
    hall.settle()
    assert kinds(hall) == ["ask", "tell"]
    assert [ballot.status for ballot in hall.ballots()] == ["counted"]


def test_an_orphan_is_shown_to_the_next_voter(hall):
    from factored_bandits.service.engine import Ask

    orphan = hall.run(hall.service.call(hall.study.handle, Ask()))
    assert hall.next(hall.voter()).decision == orphan.id


def test_excluding_somebody_changes_a_second_result_and_not_the_log(hall):
    honest = [hall.voter() for _ in range(4)]
    liar = hall.voter()
    for number in range(20):
        taste = better if number % 2 else (lambda left, right: "2" if left < right else "1")
        if isinstance(hall.judge(honest[number % 4] if number % 2 else liar, taste), Ended):
            break
    before = hall.log()
    hall.changed(tables.exclude, liar, "votes against everybody")
    found = hall.report()
    assert hall.log()[: len(before)] == before
    assert found.without is not None
    assert found.original.arena.tallies["A"].losses > 0
    assert found.without.arena.tallies["A"].losses == 0
    assert found.without.arena.best == "A"
    hall.changed(tables.exclude, liar, None)
    assert hall.report().without is None


def test_the_vote_of_somebody_who_is_excluded_goes_back_while_it_can(hall):
    voter = hall.voter()
    shown = hall.judge(voter, better)
    hall.changed(tables.exclude, voter, "a robot")
    hall.settle()
    assert kinds(hall) == ["ask"]
    assert hall.next(hall.voter()).decision == shown.decision


def test_open_duels_can_be_settled_as_ties(hall, clock):
    gone, voter = hall.voter(), hall.voter()
    hall.next(gone)
    for _ in range(3):
        hall.judge(voter, better)
    clock.go_on(60)
    found = hall.report()
    assert (found.learned, len(found.original.arena.entries)) == (0, 3)
    hall.run(hall.booth.expire(hall.study, "Ada"))
    assert hall.report().learned == 3
    expired = [event for event in hall.log() if event.kind == "expire"]
    assert [(event.body, event.who) for event in expired] == [(0.5, "Ada")]


def test_a_paused_study_says_why(hall):
    from factored_bandits.service.engine import Control

    control = Control(kind="pause", reason="lunch")
    hall.run(hall.service.call(hall.study.handle, control))
    shown = hall.next(hall.voter())
    assert shown.reason == "closed"
    assert "is paused: lunch" in shown.detail


def test_a_link_has_as_many_voters_as_it_may(hall):
    link = hall.changed(tables.add_link, "Ada", 1)
    assert hall.changed(tables.add_voter, link.id, b"a" * 12) is None
    assert "as often as it may be" in hall.changed(tables.add_voter, link.id, b"b" * 12)
    assert hall.changed(tables.revoke_link, link.id)
    assert "was revoked" in hall.changed(tables.add_voter, link.id, b"c" * 12)
    assert not hall.changed(tables.revoke_link, "nothing")
    found = tables.looked(hall.store, tables.voter_of, hall.study.id, b"a" * 12)
    assert found.revoked


@pytest.mark.xdist_group("postgres")
def test_the_same_in_postgresql(own):
    from factored_bandits.service.store import opened as at

    hall = Hall(at(own))
    try:
        voters = [hall.voter() for _ in range(4)]
        skipped = hall.next(voters[0])
        assert hall.run(hall.booth.skip(hall.study, voters[0], skipped.token))
        assert hall.next(voters[1]).decision == skipped.decision
        for number in range(120):
            shown = hall.judge(voters[number % 4], better)
            if number == 5:
                assert hall.run(hall.booth.undo(hall.study, voters[1]))
            if isinstance(shown, Ended):
                break
        assert shown.reason == "decided"
        assert hall.report().original.top == ("A",)
        hall.changed(tables.exclude, voters[0], "too kind")
        assert hall.report().without is not None
        row = hall.store.find("vote")
        assert tables.looked(hall.store, verify.verify, row).fault is None
    finally:
        hall.close()


def test_a_study_moves_to_another_database(hall, tmp_path):
    voter = hall.voter()
    for _ in range(4):
        hall.judge(voter, better)
    hall.settle()
    target = SqliteStore(tmp_path / "moved.db")
    # another experiment comes first there, so that numbers differ
    target.adopt_secret(hall.store.secret())
    create(target, "other", draft_of_texts(Rules("Other"), {"X": "x", "Y": "y"}))
    row = copy_experiment(hall.store, hall.store.find("vote"), target)
    assert row.id != hall.study.id
    assert tables.looked(target, ballots.of_study, row.id) == hall.ballots()
    assert tables.looked(target, tables.contents, row.id) == {
        (0, arm): f"the text of {name}".encode() for arm, name in enumerate("ABC")
    }
    assert tables.looked(target, tables.voter_of, row.id, voter) is not None
    before = [(each.name, each.p_value) for each in hall.report().original.candidates]
    after = tables.looked(target, report_of, target.find("vote")).original.candidates
    assert [(each.name, each.p_value) for each in after] == before
    target.close()
