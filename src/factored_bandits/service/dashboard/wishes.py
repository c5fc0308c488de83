"""What somebody wants of an experiment, in plain words, and the policy that fits it."""

from __future__ import annotations

from typing import NamedTuple


class Wish(NamedTuple):
    """One wish.

    Attributes
    ----------
    name
        How the form calls it.
    words
        What a person would say.
    factored, duel
        The policy for factors, and for candidates that are compared.
    because, because_duel
        Why, as docs/how-to/choose.md has it.
    """

    name: str
    words: str
    factored: str
    because: str
    duel: str
    because_duel: str


WISHES = (
    Wish(
        "soon",
        "I want the best page soon",
        "leader_tea",
        "Plays what looks best and loses little on the way: 0.07 to 0.39 of the regret of the "
        "policy for statements. It says how sure it is, too, only later.",
        "duel_top_two",
        "Never shows the same candidate twice; of 12 candidates it had the best in 94 % of the "
        "runs after 100 verdicts.",
    ),
    Wish(
        "statement",
        "I need a statement to sign",
        "tea(bound=betting)",
        "Rules levels out as soon as that can be proved, at a confidence that is valid whenever "
        "you look.",
        "dueling_leader_tea",
        "Certificates that are valid whenever you stop; 99 % of the other candidates and more "
        "were ruled out on problems with up to 64.",
    ),
    Wish(
        "explore",
        "Just explore",
        "uniform",
        "Plays every level equally often, for an analysis of your own. It learns nothing, and "
        "rules nothing out.",
        "dueling_uniform",
        "Compares every pair equally often, for an analysis of your own.",
    ),
)
BY_NAME = {wish.name: wish for wish in WISHES}
# With these the interaction test is kept; see `Agent(diagnostics=True)`. In the blocks of
# leader_tea levels hardly meet other levels than leaders, and it would see nothing.
TESTED = ("tea(bound=betting)",)


def policy_of(name: str, is_duel: bool) -> str:
    """The policy for a wish.

    >>> policy_of("statement", False), policy_of("soon", True)
    ('tea(bound=betting)', 'duel_top_two')
    """
    wish = BY_NAME[name]
    return wish.duel if is_duel else wish.factored
