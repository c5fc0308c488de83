"""What programs send and get: studies over HTTP."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from .study import LONGEST_NAME, LONGEST_TEXT, LONGEST_TITLE, MOST_CANDIDATES, MOST_ITEMS

Key = Annotated[str, Meta(min_length=1, max_length=200)]
Name = Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)]
Title = Annotated[str, Meta(min_length=1, max_length=LONGEST_TITLE)]
Content = Annotated[str, Meta(min_length=1, max_length=LONGEST_TEXT)]
# an image as base64 is longer than any text
Shown = Annotated[str, Meta(min_length=1, max_length=15_000_000)]


class NewItem(Struct, forbid_unknown_fields=True):
    """A question, and the answer of each candidate."""

    item: Content
    answers: Annotated[dict[Name, Content], Meta(min_length=2, max_length=MOST_CANDIDATES)]


class NewStudy(Struct, forbid_unknown_fields=True):
    """A vote: either candidates that stand for themselves, or items that they all answer."""

    key: Key
    title: Title
    candidates: (
        Annotated[dict[Name, Shown], Meta(min_length=2, max_length=MOST_CANDIDATES)] | None
    ) = None
    items: Annotated[list[NewItem], Meta(min_length=1, max_length=MOST_ITEMS)] | None = None
    question: Title = "Which one is better?"
    format: Literal["text", "markdown", "image"] = "text"
    cap: Annotated[int, Meta(ge=1, le=1_000_000)] = 50
    undo: Annotated[float, Meta(ge=0, le=3600)] = 20.0
    patience: Annotated[float, Meta(ge=0, le=86_400)] = 300.0
    alpha: Annotated[float, Meta(gt=0, lt=1)] = 0.05
    liars: Annotated[int, Meta(ge=0, le=1_000_000)] = 1
    least_seconds: Annotated[float, Meta(ge=0, le=3600)] = 1.0
    reveal: bool = False
    policy: Key | None = None
    seed: Annotated[int, Meta(ge=0, lt=2**53)] | None = None


class MadeStudy(Struct):
    """A study, and where its pages are."""

    key: str
    candidates: list[str]
    items: int
    results: str


class NewLink(Struct, forbid_unknown_fields=True):
    """A link that makes whoever opens it a voter; `most` voters, or any number."""

    name: Name
    most: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None


class VoterLink(Struct):
    """A voter link; its path, behind the address of the service, is what to send."""

    id: str
    name: str
    path: str
    most: int | None
    voters: int
    revoked: bool


class VoterLinks(Struct):
    """The links of a study."""

    links: list[VoterLink]


class Candidate(Struct):
    """A candidate, and what is known of it.

    `colluders` is the least number of voters who could have brought its elimination about.
    """

    name: str
    verdict: str
    p_value: float | None
    wins: int
    ties: int
    losses: int
    colluders: int | None


class VoteResult(Struct):
    """The result of some of the votes: who is not ruled out, in front, and how sure that is."""

    top: list[str]
    best: str
    confidence: float | None
    sentence: str
    candidates: list[Candidate]


class RatedCandidate(Struct):
    """A Bradley-Terry score, with a bootstrap interval."""

    name: str
    score: float
    low: float
    high: float


class SideBias(Struct):
    """How often the left one won of the votes without ties, with an exact interval."""

    share: float
    low: float
    high: float
    votes: int


class Voter(Struct):
    """The votes of one voter, known by a keyed hash."""

    voter: str
    link: str
    votes: int
    left: int
    right: int
    ties: int
    skipped: int
    fast: int
    side_p_value: float
    side_only: bool
    too_fast: bool
    excluded: str | None


class StudyResults(Struct):
    """What a vote has come to; `without` leaves out the voters who are excluded."""

    key: str
    votes: int
    learned: int | None
    stands: bool
    result: VoteResult
    without: VoteResult | None
    scores: list[RatedCandidate]
    sides: SideBias
    voters: list[Voter]


class Pairs(Struct):
    """All counted votes as columns: who was left, who was right, and who won."""

    model_a: list[str]
    model_b: list[str]
    winner: list[str]


class Exclusion(Struct, forbid_unknown_fields=True):
    """Whose votes are left out of the second result, and why; without a reason they are back."""

    voter: Annotated[str, Meta(pattern="^[0-9a-f]{24}$")]
    reason: Name | None = None


class Excluded(Struct):
    """Whose votes are left out, if any reason is given."""

    voter: str
    reason: str | None
