"""Everything that an agent is, as JSON can hold it, and an agent made of that again."""

from __future__ import annotations

import math
import types
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from factored_bandits.agent.expiry import Age, Clock
from factored_bandits.agent.labels import labels
from factored_bandits.core.checks import Form, form, integer
from factored_bandits.core.packing import pack, unpack
from factored_bandits.errors import DumpError
from factored_bandits.policies import Policy, make, names
from factored_bandits.policies import __name__ as policies_package
from factored_bandits.policies.limits import check_state

from . import ledger_document
from .loaded import check_claims, check_counters, check_open_plays, check_shapes, planned

if TYPE_CHECKING:
    from factored_bandits.agent.parts import Parts

# arguments of an agent that a dump holds
GIVEN = ("factors", "arms", "reward_range", "default", "horizon")
SELF_DUELS = "ask"  # where a dump says nothing else


def snapshot(agent: Parts) -> dict[str, Any]:
    """Everything, the generator included; an error, if that could not be loaded."""
    _check_plays(agent)
    content: dict[str, Any] = {
        "policy": _policy_document(agent._policy),
        "problem": {
            **agent._labels.document(),
            "reward_range": agent._rewards.range,
            "default": agent._rewards.default,
            "horizon": agent._horizon or None,
        },
        "generator": agent._generator.bit_generator.state,
        "past": agent._past,
        "rounds": ledger_document.document(agent._ledger, timed=agent._times.kept),
        "plays": [pack(plays) for plays in agent._plays],
        "state": {name: pack(array) for name, array in agent._state._asdict().items()},
    }
    if agent._self_duels.choice != SELF_DUELS:
        content["problem"]["self_duels"] = agent._self_duels.choice
    if agent._expire_after is not None:
        content["expire_after"] = _age_document(agent._expire_after)
    if agent._interaction_test is not None:
        content["diagnostics"] = agent._interaction_test.document()
    return content


def restored(
    kind: Any,
    content: dict[str, Any],
    module: types.ModuleType | None,
    clock: Clock | None,
    compiled: Form,
) -> Any:
    """The agent that `snapshot` described; an error says in what it is not one."""
    compiled = form("compiled", compiled)
    try:
        problem = content["problem"]
        given = {name: problem[name] for name in GIVEN}
        given["duels"] = problem.get("duels", False)
        policy = _restored_policy(content["policy"], module)
        _check_sizes(policy, given, content["state"])
        agent = kind(
            policy,
            diagnostics="diagnostics" in content,
            self_duels=problem.get("self_duels", SELF_DUELS),
            expire_after=_restored_age(content.get("expire_after")),
            clock=clock,
            compiled=compiled,
            **given,
        )
        _fill(agent, content)
    except DumpError:
        raise
    except MemoryError as error:
        raise DumpError("the dump describes an agent that does not fit into memory") from error
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        detail = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
        raise DumpError(f"the dump does not describe an agent of this version: {detail}") from error

    return agent


def _check_sizes(policy: Policy, given: dict[str, Any], packed: dict[str, Any]) -> None:
    """Refuse other arrays than the policy's, and more memory than the dump's text allows."""
    fields = policy.module.State._fields
    if set(packed) != set(fields):
        raise DumpError(
            f"the dump does not fit its policy: {policy.name} keeps {', '.join(fields)}, "
            f"the dump holds {', '.join(packed)}"
        )

    sizes = labels(given["factors"], given["arms"], given["duels"]).sizes
    horizon = 0 if given["horizon"] is None else integer("horizon", given["horizon"], 1)
    policy.check(sizes, horizon)
    check_shapes(policy, sizes, horizon, check_claims(packed))


def _fill(agent: Parts, content: dict[str, Any]) -> None:
    """Put what was learned into a new agent."""
    for plays, counts in zip(agent._plays, content["plays"], strict=True):
        plays[:] = unpack(counts, "plays", plays.dtype, plays.shape)

    _fill_ledger(agent, content["rounds"])
    _check_plays(agent)
    agent._learner.past = integer("past", content.get("past", 0), 0)
    check_counters(agent)
    check_open_plays(agent)

    _fill_state(agent, content["state"])
    if agent._interaction_test is not None:
        agent._interaction_test.restore(content["diagnostics"])
    agent._generator.bit_generator.state = content["generator"]


def _fill_state(agent: Parts, saved: dict[str, Any]) -> None:
    """The arrays of the policy, if it could have them; the new ones say what they may be."""
    fresh = agent._state
    arrays = fresh._asdict().items()
    state = type(fresh)(*(unpack(saved[n], n, a.dtype, a.shape) for n, a in arrays))
    check_state(agent._params, state, fresh, planned(agent))
    for array, loaded in zip(fresh, state, strict=True):
        array[...] = loaded


def _fill_ledger(agent: Parts, rounds: dict[str, Any]) -> None:
    times = agent._times
    times.kept = times.kept or "times" in rounds
    now = times.now() if times.kept else math.nan
    sizes = agent._labels.sizes
    ledger = ledger_document.restored(rounds, sizes, agent._rewards.outcomes, now)

    if ledger.asked > ledger.learned and times.kept:
        times.not_before(float(ledger.times[ledger.asked]))
    agent._ledger = ledger
    agent._calls.ledger = ledger


def _check_plays(agent: Parts) -> None:
    """Raise an error unless every factor was played as often as decisions were given out."""
    counts = [int(plays.sum()) for plays in agent._plays]
    asked = agent._ledger.asked
    if any(count != asked for count in counts):
        raise DumpError(
            f"the agent is damaged: {asked} decisions were given out, but the plays of its factors "
            f"are {', '.join(map(str, counts))}"
        )


def _age_document(age: Age) -> dict[str, Any]:
    if isinstance(age, timedelta):
        return {"seconds": age.total_seconds()}
    return {"rounds": age}


def _restored_age(saved: dict[str, Any] | None) -> Age | None:
    if saved is None:
        return None
    if "rounds" in saved:
        return integer("expire_after", saved["rounds"], 1)
    return timedelta(seconds=saved["seconds"])


def _policy_document(policy: Policy) -> dict[str, Any]:
    """Name and parameters; and whether it is a module of the user's own."""
    return {"name": policy.name, "own": is_own(policy.module), "params": policy.params._asdict()}


def _restored_policy(saved: dict[str, Any], module: types.ModuleType | None) -> Policy:
    """The policy of a dump, made anew; `module` is the user's own."""
    name = saved["name"]
    if module is None:
        if saved["own"] or name not in names():
            raise DumpError(
                f"the agent's policy {name!r} is not part of this library: give its module, "
                "Agent.load(text, policy=module)"
            )
        return make(name, **saved["params"])

    made = make(module, **saved["params"])
    if (made.name, is_own(module)) != (name, saved["own"]):
        raise DumpError(f"the agent's policy is {name!r}, not the module {module.__name__!r}")
    return made


def is_own(module: types.ModuleType) -> bool:
    """Whether a policy is a module of the user's own."""
    return not module.__name__.startswith(f"{policies_package}.")
