"""The real SDK over the provider: decisions, types, errors, rewards, memory, restart."""

from __future__ import annotations

import json
import logging
from datetime import timedelta

import numpy as np
import pytest
from openfeature.evaluation_context import EvaluationContext
from openfeature.exception import ErrorCode
from openfeature.flag_evaluation import Reason
from openfeature.track import TrackingEventDetails

import factored_bandits as fb
from factored_bandits.errors import DumpError, InvalidInputError

Provider = fb.openfeature.Provider


def visitor(number: object) -> EvaluationContext:
    return EvaluationContext(f"visitor {number}")


def test_thousands_of_decisions_find_the_best_and_leave_nothing_waiting(client_of):
    rng = np.random.default_rng(5)
    appeal = {"headline": [0.3, 0.9, 0.5], "image": [0.4, 0.5, 0.95]}
    factors = {name: list(range(len(rates))) for name, rates in appeal.items()}
    agent = fb.Agent("tea(bound=betting)", factors=factors, seed=2)
    provider = Provider({"page": agent}, rewards={"purchase": "page"}, remember=200)
    client = client_of(provider)

    earned = 0
    for number in range(4000):
        who = visitor(number)
        page = client.get_object_value("page", {}, who)
        assert client.get_integer_value("page.image", -1, who) == page["image"]
        rate = appeal["headline"][page["headline"]] * appeal["image"][page["image"]]
        if rng.random() < rate:
            earned += 1
            client.track("purchase", who)
        client.track("scrolled", who, TrackingEventDetails(0.3))  # no reward

    assert agent.status().asked == 4000
    assert len(agent.waiting) <= 200  # those who bought nothing expire when they are forgotten
    waited = len(agent.waiting)
    assert 0 < waited == provider.expire()
    assert agent.waiting == ()
    assert agent.status().learned == 4000 - agent.backlog
    assert agent.best() == {"headline": 1, "image": 2}
    assert agent.confidence() > 0.95
    # a visitor of a page at random buys with probability 0.349; four standard errors above that
    assert earned > 4000 * 0.349 + 4 * (4000 * 0.25) ** 0.5


def test_one_targeting_key_has_one_decision(agent, client_of):
    client = client_of(Provider({"page": agent}))
    first = client.get_object_details("page", {}, visitor(1))
    assert first.reason == Reason.SPLIT
    again = client.get_object_details("page", {}, visitor(1))
    assert again.reason == Reason.CACHED
    assert again.value == first.value

    # after the reward, too
    client.track("page", visitor(1))
    assert client.get_object_value("page", {}, visitor(1)) == first.value
    assert client.get_string_value("page.headline", "", visitor(1)) == first.value["headline"]
    assert client.get_integer_value("page.columns", 0, visitor(1)) == first.value["columns"]
    assert client.get_float_value("page.columns", 0.0, visitor(1)) == first.value["columns"]
    assert client.get_float_value("page.size", 0.0, visitor(1)) == first.value["size"]
    assert client.get_boolean_value("page.dark", None, visitor(1)) is first.value["dark"]
    assert agent.status().asked == 1


def test_metadata_names_the_decision_and_its_propensities(agent, client_of):
    client = client_of(Provider({"page": agent}))
    twin = fb.Agent.load(agent.dump())
    details = client.get_string_details("page.headline", "", visitor(1))
    decision = twin.ask()
    assert details.variant == decision.levels["headline"]
    assert details.flag_metadata == {
        "decision": 1,
        **{f"propensity.{name}": p for name, p in decision.propensity.items()},
    }
    assert list(decision.propensity) == ["headline", "columns", "size", "dark"]


def test_what_is_not_known_is_not_in_the_metadata(client_of):
    agent = fb.Agent("flat_thompson", factors={"colour": ["red", "blue"]})
    client = client_of(Provider({"page": agent}))
    details = client.get_object_details("page", {}, visitor(1))
    assert details.flag_metadata == {"decision": 1}


@pytest.mark.parametrize(
    ("ask", "code", "message"),
    [
        (
            lambda client: client.get_string_details("pag.headline", "x", visitor(1)),
            ErrorCode.FLAG_NOT_FOUND,
            "no flag 'pag.headline'; did you mean 'page.headline'? (known: page, page.headline, "
            "page.columns, page.size, page.dark)",
        ),
        (
            lambda client: client.get_string_details("page", "x", visitor(1)),
            ErrorCode.TYPE_MISMATCH,
            "page is an object with a level of each factor, not string",
        ),
        (
            lambda client: client.get_integer_details("page.size", "x", visitor(1)),
            ErrorCode.TYPE_MISMATCH,
            "page.size is float, not integer",
        ),
        (
            lambda client: client.get_boolean_details("page.columns", "x", visitor(1)),
            ErrorCode.TYPE_MISMATCH,
            "page.columns is integer or float, not boolean",
        ),
        (
            lambda client: client.get_object_details("page.dark", "x", visitor(1)),
            ErrorCode.TYPE_MISMATCH,
            "page.dark is boolean, not object",
        ),
        (
            lambda client: client.get_string_details("page.headline", "x"),
            ErrorCode.TARGETING_KEY_MISSING,
            "page.headline needs a targeting key: who it is that gets one decision and its reward",
        ),
    ],
)
def test_errors_are_those_of_the_specification(agent, client_of, ask, code, message):
    details = ask(client_of(Provider({"page": agent})))
    assert details.error_code == code
    assert details.error_message == message
    assert details.reason == Reason.ERROR
    assert details.value == "x"
    assert agent.status().asked == 0  # a question that cannot be answered costs no decision


def test_levels_of_several_types_are_read_from_the_object(client_of):
    agent = fb.Agent("uniform", factors={"mixed": ["a", 1]})
    client = client_of(Provider({"page": agent}))
    details = client.get_string_details("page.mixed", "x", visitor(1))
    assert details.error_code == ErrorCode.TYPE_MISMATCH
    assert client.get_object_value("page", {}, visitor(1))["mixed"] in ("a", 1)


def test_duels_have_two_positions(client_of):
    agent = fb.Agent("dueling_uniform", arms=["A", "B", "C"], seed=1)
    client = client_of(Provider({"pair": agent}))
    pair = client.get_object_value("pair", {}, visitor(1))
    assert client.get_string_value("pair.second", "", visitor(1)) == pair["second"]
    client.track("pair", visitor(1), TrackingEventDetails(0.5))
    assert agent.waiting == ()


def test_rewards(client_of, caplog):
    caplog.set_level(logging.INFO, "factored_bandits")
    agent = fb.Agent("uniform", factors={"a": [1, 2]}, reward_range=(0, 10))
    other = fb.Agent("uniform", factors={"b": [1, 2]}, reward_range=(0, 10))
    provider = Provider({"page": agent, "box": other}, rewards={"paid": ["page", "box"]})
    client = client_of(provider)
    for number in range(3):
        client.get_object_value("page", {}, visitor(number))
    client.get_object_value("box", {}, visitor(0))

    client.track("page", visitor(0))  # with `rewards` only the events named there
    assert agent.waiting == (1, 2, 3)
    client.track("paid", visitor(0), TrackingEventDetails(7))
    assert (agent.waiting, other.waiting) == ((2, 3), ())

    client.track("paid", visitor(1), TrackingEventDetails(11))
    assert "the reward 11 lies outside the declared range (0, 10)" in caplog.text
    client.track("paid", visitor(0))
    assert "decision 1 is settled; it takes one reward" in caplog.text
    client.track("paid", visitor("unknown"))
    assert "'visitor unknown' has no decision that is remembered" in caplog.text
    client.track("paid")
    assert "it has neither a targeting key nor the number of a decision" in caplog.text
    assert agent.waiting == (2, 3)

    client.track("paid", None, TrackingEventDetails(1, {"decision": 3}))
    assert agent.waiting == (2,)
    client.track("paid", visitor(2))
    assert "decision 3 is answered already" in caplog.text


def test_what_an_event_is_worth_can_be_computed(client_of, caplog):
    agent = fb.Agent("cucb", factors={"a": [1, 2], "b": [1, 2]})
    client = client_of(
        Provider({"page": agent}, reward_of=lambda details: dict(details.attributes))
    )
    client.get_object_value("page", {}, visitor(1))
    client.track("page", visitor(1))  # no details: an error of the function, told and not raised
    assert "event 'page' brings no reward: 'NoneType'" in caplog.text
    client.track("page", visitor(1), TrackingEventDetails(attributes={"a": 1, "b": 0}))
    assert agent.waiting == ()


def test_the_oldest_decisions_are_forgotten_first_and_expire(agent, client_of):
    provider = Provider({"page": agent}, remember=3)
    client = client_of(provider)
    pages = [client.get_object_details("page", {}, visitor(i)) for i in range(3)]
    client.get_object_value("page", {}, visitor(0))  # to look again gives no longer life
    client.get_object_value("page", {}, visitor(3))
    assert agent.waiting == (2, 3, 4)
    assert client.get_object_details("page", {}, visitor(2)).flag_metadata == (
        pages[2].flag_metadata
    )
    assert client.get_object_details("page", {}, visitor(0)).reason == Reason.SPLIT
    assert agent.waiting == (3, 4, 5)


def test_decisions_are_forgotten_after_a_time(agent, client_of):
    now = [0.0]
    provider = Provider({"page": agent}, forget_after=timedelta(hours=1), clock=lambda: now[0])
    client = client_of(provider)
    client.get_object_value("page", {}, visitor(1))
    now[0] = 3600.0
    assert client.get_object_details("page", {}, visitor(1)).reason == Reason.CACHED
    now[0] = 3601.0
    client.track("page", visitor(1))  # too late
    assert agent.waiting == (1,)
    assert client.get_object_details("page", {}, visitor(1)).reason == Reason.SPLIT
    assert agent.waiting == (2,)


def test_an_agent_without_a_default_reward_does_not_stop_the_page(client_of, caplog):
    agent = fb.Agent("tea", factors={"a": [1, 2]}, reward_range=None)
    client = client_of(Provider({"page": agent}, remember=1))
    client.get_object_value("page", {}, visitor(1))
    assert client.get_object_details("page", {}, visitor(2)).error_code is None
    assert "decision 1 is forgotten and cannot expire: what is a missing answer" in caplog.text


def test_after_a_restart_keys_have_the_same_decisions(agent, client_of):
    client = client_of(Provider({"page": agent}))
    before = {i: client.get_object_value("page", {}, visitor(i)) for i in range(20)}
    client.track("page", visitor(3))
    saved = agent.dump()
    client.get_object_value("page", {}, visitor("late"))  # the saved agent does not know of it
    provider = client.provider
    memory = provider.dump()

    loaded = fb.Agent.load(saved)
    client = client_of(Provider({"page": loaded, "new": fb.Agent(arms=[1, 2])}, memory=memory))
    for i, page in before.items():
        details = client.get_object_details("page", {}, visitor(i))
        assert (details.value, details.reason) == (page, Reason.CACHED)
    other = client.get_object_details("page", {}, visitor("other"))
    assert other.flag_metadata["decision"] == 21
    client.track("page", visitor("late"))  # must not reward the decision of another key
    assert loaded.is_waiting(21)
    for i in before:
        client.track("page", visitor(i))
    assert loaded.waiting == (21,)


@pytest.mark.parametrize(
    ("memory", "message"),
    [
        ("{", "memory must be what Provider.dump() returned"),
        ("[]", "memory must be what Provider.dump() returned"),
        (
            json.dumps({"format": "factored-bandits openfeature 1", "flags": {"page": [["k", 1]]}}),
            "memory: not what the dump of such a provider holds: not enough values to unpack "
            "(expected 6, got 2)",
        ),
        (
            Provider({"page": fb.Agent("uniform", factors={"other": [1, 2]})}).dump(),
            None,
        ),
    ],
)
def test_a_memory_that_cannot_be_read(agent, memory, message):
    if message is None:
        Provider({"page": agent}, memory=memory)  # nothing in it contradicts
        return
    with pytest.raises(DumpError) as raised:
        Provider({"page": agent}, memory=memory)
    assert str(raised.value) == message


def test_a_memory_of_other_factors_is_refused(agent):
    other = Provider({"page": fb.Agent("uniform", factors={"other": [1, 2]})})
    other.resolve_object_details("page", {}, visitor(1))
    with pytest.raises(DumpError, match="the factors are headline, columns, size, dark, not other"):
        Provider({"page": agent}, memory=other.dump())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"agents": {}}, "agents must be a dict of flags with their agents, not {}"),
        ({"remember": 0}, "remember must be a whole number from 1, not 0"),
        (
            {"forget_after": 3},
            "forget_after must be a datetime.timedelta longer than no time, not 3",
        ),
        (
            {"rewards": {"paid": "pag"}},
            "rewards: 'paid' rewards 'pag', which is no flag with an agent (known: page)",
        ),
    ],
)
def test_wrong_arguments(agent, arguments, message):
    with pytest.raises(InvalidInputError) as raised:
        Provider(**{"agents": {"page": agent}, **arguments})
    assert str(raised.value) == message


def test_two_flags_of_one_name(agent):
    with pytest.raises(InvalidInputError, match=r"there are two flags .page\.size."):
        Provider({"page": agent, "page.size": fb.Agent("uniform", factors={"a": [1, 2]})})
