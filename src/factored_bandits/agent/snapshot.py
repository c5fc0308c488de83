"""Everything that an agent is, as JSON can hold it, and an agent made of that again."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

from factored_bandits.core.checks import integer
from factored_bandits.core.packing import pack, unpack
from factored_bandits.errors import DumpError
from factored_bandits.policies import Policy, make, names
from factored_bandits.policies import __name__ as policies_package

from . import ledger
from .labels import labels
from .loaded import check_claims, check_loaded, check_shapes

if TYPE_CHECKING:
    from .agent import Agent

# arguments of an agent that a dump holds
GIVEN = ("factors", "arms", "reward_range", "default", "horizon")


def snapshot(agent: Agent) -> dict[str, Any]:
    """Everything, the generator included."""
    content = {
        "policy": _policy_document(agent._policy),
        "problem": {
            **agent._labels.document(),
            "reward_range": agent._rewards.range,
            "default": agent._rewards.default,
            "horizon": agent._horizon or None,
        },
        "generator": agent._generator.bit_generator.state,
        "past": agent._past,
        "rounds": agent._ledger.document(),
        "plays": [pack(plays) for plays in agent._plays],
        "state": {name: pack(array) for name, array in agent._state._asdict().items()},
    }
    if agent._interaction_test is not None:
        content["diagnostics"] = agent._interaction_test.document()
    return content


def restored(kind: type[Agent], content: dict[str, Any], module: types.ModuleType | None) -> Any:
    """The agent that `snapshot` described; an error says in what it is not one."""
    try:
        given = {name: content["problem"][name] for name in GIVEN}
        policy = _restored_policy(content["policy"], module)
        _check_sizes(policy, given, content["state"])
        agent = kind(policy, diagnostics="diagnostics" in content, **given)
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

    sizes = labels(given["factors"], given["arms"]).sizes
    horizon = 0 if given["horizon"] is None else integer("horizon", given["horizon"], 1)
    policy.check(sizes, horizon)
    check_shapes(policy, sizes, horizon, check_claims(packed))


def _fill(agent: Agent, content: dict[str, Any]) -> None:
    """Put what was learned into a new agent."""
    saved = content["state"]
    fresh = agent._state
    arrays = fresh._asdict().items()
    agent._state = type(fresh)(*(unpack(saved[n], n, a.dtype, a.shape) for n, a in arrays))
    for plays, counts in zip(agent._plays, content["plays"], strict=True):
        plays[:] = unpack(counts, "plays", plays.dtype, plays.shape)

    agent._ledger = ledger.restored(content["rounds"], agent._labels.sizes, agent._rewards.outcomes)
    agent._past = integer("past", content.get("past", 0), 0)
    if agent._interaction_test is not None:
        agent._interaction_test.restore(content["diagnostics"])
    agent._generator.bit_generator.state = content["generator"]
    check_loaded(agent, fresh)


def _policy_document(policy: Policy) -> dict[str, Any]:
    """Name and parameters; and whether it is a module of the user's own."""
    return {"name": policy.name, "own": _is_own(policy.module), "params": policy.params._asdict()}


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
    if (made.name, _is_own(module)) != (name, saved["own"]):
        raise DumpError(f"the agent's policy is {name!r}, not the module {module.__name__!r}")
    return made


def _is_own(module: types.ModuleType) -> bool:
    return not module.__name__.startswith(f"{policies_package}.")
