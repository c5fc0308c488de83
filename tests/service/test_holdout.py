"""Units that are held out: who they are, what they see, what came of it, through every face."""

from __future__ import annotations

import math
import statistics

import pytest
from shop import CONFIG, FACTORS, MINUTE, shops

import factored_bandits as fb
from factored_bandits.errors import InvalidInputError
from factored_bandits.service.engine import is_held
from factored_bandits.service.export import table

UNITS = 400
SHARE = 0.3
BASELINE = {"headline": "short", "button": "green"}


@pytest.fixture(params=[None, BASELINE], ids=["uniform", "baseline"])
def shop(request, tmp_path):
    config = {**CONFIG, "holdout": SHARE, "baseline": request.param}
    made = shops(tmp_path)(config, snapshot_every=50)
    yield made
    made.close()


def test_the_holdout_is_a_group_of_its_own(shop):
    decisions = {unit: shop.agent.ask(unit) for unit in range(UNITS)}
    held = {unit for unit, made in decisions.items() if is_held(made.id)}
    # four standard errors around the share
    assert abs(len(held) - SHARE * UNITS) < 4 * math.sqrt(SHARE * (1 - SHARE) * UNITS)
    if shop.config.baseline is None:
        pages = {tuple(decisions[unit].levels.values()) for unit in held}
        assert len(pages) == 6
        assert decisions[min(held)].propensity == {"headline": 1 / 2, "button": 1 / 3}
    else:
        assert all(decisions[unit].levels == BASELINE for unit in held)
        assert decisions[min(held)].propensity == {"headline": 1.0, "button": 1.0}

    # the agent sees the others, and nobody else
    memory = fb.Agent("tea", factors=FACTORS, seed=3, compiled=False)
    rest = [made for unit, made in decisions.items() if unit not in held]
    assert rest == [memory.ask() for _ in rest]

    # a third is silent, and the process dies in between
    rewards = {unit: (unit % 5) / 8 for unit in range(0, UNITS, 3)}
    for unit, reward in rewards.items():
        shop.reopen() if unit % 60 == 0 else None
        assert shop.agent.ask(unit) == decisions[unit]
        assert shop.agent.tell(decisions[unit].id, reward) == "accepted"
        assert shop.agent.tell(decisions[unit].id, reward) == "duplicate"
        assert shop.agent.tell_unit(unit, reward) == "duplicate"
    shop.now += 31 * MINUTE
    shop.agent.ask("somebody, so that time is looked at")
    assert shop.agent.tell(decisions[min(held - rewards.keys())].id, 1.0) == "late"
    with pytest.raises(fb.errors.DecisionError):
        shop.agent.expire(decisions[min(held)].id)

    report = shop.agent.holdout()
    for group, units in ((report.held, held), (report.rest, set(range(UNITS)) - held)):
        values = [rewards.get(unit, 0.0) for unit in units]
        assert group.settled == len(values)
        assert group.mean == pytest.approx(statistics.fmean(values), rel=1e-12)
        error = statistics.stdev(values) / math.sqrt(len(values))
        assert group.standard_error == pytest.approx(error, rel=1e-9)
    assert report.held.asked + report.rest.asked == UNITS + 1
    shop.reopen()
    assert shop.agent.holdout() == report
    assert "holdout (30.0%): " in str(report)

    found = shop.verify()
    assert (found.fault, found.snapshot > 0) == (None, True)
    store = shop.store(read_only=True)
    tx = store.begin()
    columns = table(tx, tx.lock(1))
    store.close()
    assert sum(columns["holdout"]) == report.held.asked


def test_anonymous_decisions_are_held_out_at_random_and_verified(tmp_path):
    shop = shops(tmp_path)({**CONFIG, "holdout": 0.5})
    made = [shop.agent.ask() for _ in range(40)]
    again = shop.agent.ask(idempotency_key="k")
    assert shop.agent.ask(idempotency_key="k") == again
    for each in made[:20]:
        shop.agent.tell(each.id, 1.0)
    one = next(each.id for each in made[20:] if is_held(each.id))
    shop.agent.expire(one)
    held = [each for each in made if is_held(each.id)]
    assert 0 < len(held) < 40
    shop.reopen()
    report = shop.agent.holdout()
    assert report.held.asked == len(held) + is_held(again.id)
    assert report.held.settled + report.rest.settled == 21
    assert shop.verify().fault is None
    shop.close()


def test_a_log_in_which_somebody_changed_the_holdout(tmp_path):
    shop = shops(tmp_path)({**CONFIG, "holdout": 0.5}, snapshot_every=10**6)
    for unit in range(20):
        shop.agent.ask(unit)
    event = next(event for event in shop.log() if is_held(event.decision))
    tx = shop.engine.store.begin()
    other = ",".join(str(1 - event.action[0] if i == 0 else x) for i, x in enumerate(event.action))
    tx._connection._real.execute("UPDATE event SET action = ? WHERE n = ?", (other, event.n))
    tx.commit()
    assert shop.verify().fault.startswith(f"event {event.n}: the log has")
    shop.close()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"holdout": 1.5}, "holdout must lie between 0 and 1, not 1.5"),
        ({"baseline": BASELINE}, "baseline is what a holdout is shown: give holdout=..., too"),
        (
            {"holdout": 0.1, "baseline": {"headline": "short"}},
            "baseline must name a level of each factor (headline, button), not "
            "{'headline': 'short'}",
        ),
        (
            {"holdout": 0.1, "baseline": {**BASELINE, "button": "pink"}},
            "baseline: 'pink' is no level of 'button' (red, green, blue)",
        ),
        (
            {"holdout": 0.1, "factors": None, "arms": ["A", "B"]},
            "a holdout needs factors: what would a duel be compared with?",
        ),
    ],
)
def test_holdouts_that_cannot_be(given, message, tmp_path):
    with pytest.raises(InvalidInputError) as caught:
        fb.open(tmp_path / "shop.db", **{"key": "home", "factors": FACTORS, **given})
    assert str(caught.value) == message


def test_without_one_there_is_nothing_to_report(tmp_path):
    with (
        fb.open(tmp_path / "shop.db", key="home", factors=FACTORS) as agent,
        pytest.raises(InvalidInputError, match="there is no holdout"),
    ):
        agent.holdout()


def test_over_http(tmp_path):
    pytest.importorskip("starlette", reason="the extra [serve] is not installed")
    from test_http import NEW, Served

    served = Served(tmp_path / "shop.db")
    with served.client:
        body = {**NEW, "holdout": 0.5, "baseline": BASELINE}
        assert served("POST", "/v1/experiments", body).status_code == 201
        units = [f"visitor {i}" for i in range(30)]
        path = "/v1/experiments/home/decisions"
        made = served("POST", path, {"units": units}, "write").json()["decisions"]
        held = [each for each in made if each["holdout"]]
        assert 0 < len(held) < 30
        assert all(each["levels"] == BASELINE for each in held)

        rewards = [{"token": each["token"], "reward": 1} for each in held]
        said = served("POST", "/v1/rewards", {"rewards": rewards}, role=None).json()
        assert {each["outcome"] for each in said["outcomes"]} == {"accepted"}
        state = served("GET", "/v1/experiments/home/status").json()
        assert state["asked"] == 30 - len(held)
        error = None if len(held) == 1 else 0.0
        assert state["holdout"]["held"] == {
            "asked": len(held),
            "settled": len(held),
            "mean": 1.0,
            "standard_error": error,
        }
        assert state["holdout"]["rest"]["mean"] is None

        context = {"context": {"targetingKey": held[0]["unit"]}}
        flag = served("POST", "/ofrep/v1/evaluate/flags/home", context, "write").json()
        assert (flag["value"], flag["metadata"]["holdout"]) == (BASELINE, True)
        bad = {**body, "key": "other", "baseline": {"headline": "short"}}
        assert served("POST", "/v1/experiments", bad).status_code == 422
    served.engine.close()


@pytest.mark.xdist_group("postgres")
def test_in_postgresql_two_processes_hold_out_the_same(url):
    from postgres_shop import PostgresShop

    shop = PostgresShop(url, {**CONFIG, "holdout": 0.5, "baseline": BASELINE}, snapshot_every=20)
    made = {unit: shop.agent.ask(unit) for unit in range(30)}
    for unit in range(20):
        shop.agent.tell(made[unit].id, unit % 2)
    report = shop.agent.holdout()
    first = shop.engine
    shop.open()  # another engine on the same database
    assert {unit: shop.agent.ask(unit) for unit in made} == made
    assert shop.agent.holdout() == report
    shop.now += 31 * MINUTE
    shop.agent.ask("somebody")
    settled = shop.agent.holdout()
    assert settled.held.settled + settled.rest.settled == 30
    assert shop.verify().fault is None
    shop.close()
    first.close()
