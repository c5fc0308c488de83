"""The agent of a run as the fold of its events: same events, same agent, to the last bit.

What the agent has learned depends on the seed, on the answers, and on how many decisions it had
been asked for when each of them came. All three are in the journal, so that a run that was killed
goes on as if nothing had happened.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from factored_bandits.agent import Decision
from factored_bandits.errors import DumpError

from .entries import Entry
from .problem import Call, Problem


@dataclass
class Open:
    """A decision that is not settled."""

    decision: Decision
    calls: tuple[Call, ...]
    values: dict[int, float] = field(default_factory=dict)  # by part


class Fold:
    """Decisions that are asked for, and events that settle them, in the order of both."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._drops = problem.agent.policy.info.drops
        self.asks = 0
        self.open: dict[int, Open] = {}  # by the number of the decision, the oldest first

    def ask(self) -> list[Call]:
        """The calls of the next decision; none if it is a duel of a candidate with itself.

        Such a duel comes after a thousand that the agent has skipped, or of a policy that must
        learn it, and the verdicts before it, first (`Info.self_duel_counts`): as far as the policy
        knows, there is nothing to ask for now. It is settled here.
        """
        problem = self._problem
        decision = problem.agent.ask()
        self.asks += 1
        duel = problem.agent.policy.info.kind == "duel"
        if duel and decision.levels["first"] == decision.levels["second"]:
            problem.agent.tell(decision.id, problem.no_evidence(self.asks))
            return []

        calls = problem.calls(self.asks, decision)
        self.open[self.asks] = Open(decision, tuple(calls))
        return calls

    def apply(self, entry: Entry) -> None:
        """Let the agent learn from an event, if the decision is settled by it."""
        if entry.event == "failed":
            return

        waits = self.open[entry.ask]
        agent = self._problem.agent
        if entry.event in ("dropped", "given up"):
            del self.open[entry.ask]
            if self._drops:
                agent.drop(waits.decision.id)
            else:
                agent.tell(waits.decision.id, self._problem.no_evidence(entry.ask))
            return

        assert entry.value is not None
        waits.values[entry.part] = entry.value
        if len(waits.values) == len(waits.calls):
            values = [waits.values[part] for part in range(len(waits.calls))]
            del self.open[entry.ask]
            agent.tell(waits.decision.id, self._problem.reward(entry.ask, waits.decision, values))

    def can_drop(self, ask: int) -> bool:
        """Whether a decision can be taken back, and none of its calls be wasted by that."""
        waits = self.open.get(ask)  # None if another of its calls was given up
        return waits is not None and self._drops and len(waits.calls) == 1

    def replay(self, entry: Entry, where: str) -> None:
        """Ask for as many decisions as there had been, and apply an event of a journal."""
        while self.asks < entry.asks:
            self.ask()

        waits = self.open.get(entry.ask)
        fits = (
            waits is not None
            and entry.part < len(waits.calls)
            and entry.part not in waits.values
            and waits.calls[entry.part].told == entry.call
        )
        # a failure may be noted of a decision that another of its calls has settled
        if not fits and entry.event != "failed":
            raise DumpError(
                f"{where} does not follow from the lines before it: call {entry.ask} is not what "
                "is written there. It was changed, or written by another version of the library"
            )
        self.apply(entry)

    def waiting(self) -> list[Call]:
        """The calls that are not answered, the oldest first."""
        return [
            call
            for waits in self.open.values()
            for call in waits.calls
            if call.part not in waits.values
        ]
