"""What requests and answers look like; a request that does not is refused before anything runs."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

MOST_DECISIONS = 100  # in a request
MOST_REWARDS = 1000

Label = str | int | float
Text = Annotated[str, Meta(min_length=1, max_length=200)]
Unit = Annotated[str, Meta(min_length=1, max_length=1000)]
Levels = Annotated[list[Label], Meta(min_length=1, max_length=10_000)]
Number = float | int


class NewExperiment(Struct, forbid_unknown_fields=True):
    """An experiment: what can be chosen, by which policy, and what a reward is."""

    key: Text
    factors: Annotated[dict[Text, Levels], Meta(min_length=1, max_length=100)] | None = None
    arms: Annotated[list[Label], Meta(min_length=2, max_length=10_000)] | None = None
    policy: Text | None = None
    params: dict[str, str | Number | bool] = {}
    reward_range: tuple[Number, Number] | None = (0.0, 1.0)
    default: Number | None = None
    ttl: Text | None = None
    seed: Annotated[int, Meta(ge=0, lt=2**53)] = 0
    horizon: Annotated[int, Meta(ge=1, lt=2**53)] | None = None
    diagnostics: bool = False
    self_duels: Literal["ask", "skip"] = "ask"
    max_open: Annotated[int, Meta(ge=1, le=10_000_000)] = 100_000
    holdout: Annotated[float, Meta(gt=0, lt=1)] | None = None
    baseline: Annotated[dict[Text, Label], Meta(min_length=1, max_length=100)] | None = None


class Wanted(Struct, forbid_unknown_fields=True):
    """Decisions for units, one each; or a number of them for nobody in particular."""

    units: Annotated[list[Unit], Meta(min_length=1, max_length=MOST_DECISIONS)] | None = None
    count: Annotated[int, Meta(ge=1, le=MOST_DECISIONS)] = 1


class Decided(Struct):
    """A decision, and the token with which its reward is told.

    While the database is away: the best as far as is known, with `learn` false, and no token.
    """

    token: str | None
    id: int | None
    action: list[int]
    levels: dict[str, Label | None]
    propensity: dict[str, float] | None
    unit: str | None = None
    learn: bool = True
    holdout: bool = False


class Decisions(Struct):
    """In the order of the units."""

    decisions: list[Decided]


class Reward(Struct, forbid_unknown_fields=True):
    """The reward of a decision, named by its token; with a key by its number or unit as well."""

    reward: Number | list[Number] | dict[str, Number]
    token: Annotated[str, Meta(max_length=200)] | None = None
    experiment: Text | None = None
    decision: Annotated[int, Meta(ge=1, lt=2**53)] | None = None
    unit: Unit | None = None


class Rewards(Struct, forbid_unknown_fields=True):
    """Rewards of any experiments."""

    rewards: Annotated[list[Reward], Meta(min_length=1, max_length=MOST_REWARDS)]


class Outcome(Struct, omit_defaults=True):
    """What became of a reward."""

    outcome: Literal["accepted", "duplicate", "late", "conflict", "unknown", "refused"]
    detail: str | None = None


class Outcomes(Struct):
    """In the order of the rewards."""

    outcomes: list[Outcome]


class Reason(Struct, forbid_unknown_fields=True):
    """Why an experiment is paused."""

    reason: Annotated[str, Meta(max_length=1000)] = ""


class Summary(Struct):
    """An experiment as a list shows it."""

    key: str
    status: str
    reason: str | None
    events: int
    configuration: dict[str, Any]


class Page(Struct):
    """A part of a list; `next` is the cursor of the part after it."""

    experiments: list[Summary]
    next: str | None = None


class Level(Struct):
    """What is known of a level."""

    factor: str
    level: Label | None
    active: bool | None
    plays: int
    gap: float | None
    at_least: float | None


class Compared(Struct):
    """Decisions and rewards of the holdout, or of all others."""

    asked: int
    settled: int
    mean: float | None
    standard_error: float | None


class Held(Struct):
    """The holdout beside the units that the agent decides for."""

    share: float
    held: Compared
    rest: Compared


class State(Struct):
    """What an agent knows."""

    policy: str
    asked: int
    learned: int
    waiting: int
    best: Any
    confidence: float | None
    levels: list[Level]
    holdout: Held | None = None


class RecordPage(Struct):
    """Decisions as `experiments export` has them; `next` is the cursor of the page after."""

    decisions: list[dict[str, Any]]
    next: str | None = None


class LevelChange(Struct):
    """A level that was eliminated, or re-entered."""

    event: int
    at: str
    decisions: int
    factor: str
    level: Any
    active: bool


class TimelinePage(Struct):
    """Active sets over time: at first all levels are active."""

    eliminates: bool
    changes: list[LevelChange]
    behind: int
    next: str | None = None


class LevelClaim(Struct):
    """What is said of a level, with anytime-valid p-values."""

    factor: str
    level: Any
    verdict: str
    p_value: float
    others: float


class Certified(Struct):
    """A certificate."""

    policy: str
    rounds: int
    alpha: float
    confidence: float
    assumption: str
    best: dict[str, Any]
    ruled_out: dict[str, list[Any]]
    claims: list[LevelClaim]


class ExpireWanted(Struct, forbid_unknown_fields=True):
    """Which decisions will have no answer: one, or all older than a duration such as "2h"."""

    decision: Annotated[int, Meta(ge=1, lt=2**53)] | None = None
    older_than: Text | None = None


class Expired(Struct):
    """The decisions that were settled with the default reward."""

    expired: list[int]


class NewKey(Struct, forbid_unknown_fields=True):
    """A key for somebody."""

    name: Text
    role: Literal["read", "write", "admin"]


class MadeKey(Struct):
    """A key, shown this once."""

    name: str
    role: str
    key: str


class KeyName(Struct):
    """Who may use the service, and for what."""

    name: str
    role: str


class KeyList(Struct):
    """All who may use the service."""

    keys: list[KeyName]


class Evaluation(Struct):
    """What a client of OFREP asks; `targetingKey` of the context is the unit."""

    context: dict[str, Any] | None = None


class FlagValue(Struct):
    """The value of a flag, as OFREP has it; `metadata.decision` is the token."""

    key: str
    reason: str
    variant: str
    value: Any
    metadata: dict[str, bool | Number | str]


class Failure(Struct):
    """Why a flag has no value, as OFREP has it."""

    key: str
    errorCode: str
    errorDetails: str


class EvaluatedFlags(Struct):
    """The flags of the experiments that a context named."""

    flags: list[Any]


class Problem(Struct, omit_defaults=True):
    """What was wrong, as RFC 9457 has it."""

    title: str
    status: int
    detail: str = ""
    type: str = "about:blank"


def schemas(every: list[type]) -> tuple[dict[type, Any], dict[str, Any]]:
    """JSON schemas of bodies: a reference for each, and what they refer to."""
    found, components = msgspec.json.schema_components(
        every, ref_template="#/components/schemas/{name}"
    )
    return dict(zip(every, found, strict=True)), components
