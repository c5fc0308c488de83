"""`Agent`: any policy in a program of one's own.

Ask what to play, tell what came of it; answers may come late.

>>> import factored_bandits as fb
>>> factors = {"ad": ["A", "B", "C"], "position": ["top", "side"]}
>>> agent = fb.Agent("tea", factors=factors, reward_range=(0, 1), seed=1)
>>> decision = agent.ask()
>>> decision.id, decision.action, decision.levels
(1, (0, 0), {'ad': 'A', 'position': 'top'})
>>> decision.propensity["position"]
0.5
>>> agent.tell(decision.id, 1.0)
>>> other = agent.ask()
>>> agent.expire(other.id)  # no answer came: the default reward, here 0
>>> text = agent.dump()
>>> fb.Agent.load(text).ask() == agent.ask()
True

and for duels, with reward 1 if the first won, 0 if the second did, 0.5 for a tie:

>>> agent = fb.Agent("dueling_tea", arms=["draft A", "draft B", "draft C"])
>>> sorted(agent.ask().levels)
['first', 'second']

Policies plan blocks of plays and learn from whole blocks. `ask` never waits: when a block is given
out, the next one is planned with what is known, and several may be open. Blocks are learned in the
order in which they were planned, and only when every play in them has its reward or its default.
Anything else would let the outcome choose the data: an agent that learned what happens to arrive
first would favour whatever answers quickly. So one answer that never comes holds back everything
asked after it. `waiting` lists such decisions; `expire` settles them, and with `expire_after` the
agent does so itself.

Threads may share an agent, and a call that fails changes nothing.
"""

from __future__ import annotations

from factored_bandits.inference.diagnosis import Diagnosis, Finding

from .agent import Agent
from .decision import Decision
from .status import LevelStatus, Status
from .warming import warm

__all__ = ["Agent", "Decision", "Diagnosis", "Finding", "LevelStatus", "Status", "warm"]
