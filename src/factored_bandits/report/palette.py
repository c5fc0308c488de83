"""One palette for every figure: an algorithm keeps its colour and its line where it can.

Colours are those of Okabe & Ito, told apart by the colour-blind, without yellow, which vanishes on
white; times eight dash patterns. A variant of an algorithm (other parameters) keeps its colour and
dashes and is told apart by a marker.

Policies say in `Info.style` what they look like. Every other algorithm gets a free pair of colour
and dashes, found from its letters, so that a new algorithm needs no entry here. Blue is for the
algorithms of the paper. In a figure that stresses some policies, no two algorithms among these
share a colour; the others are grey until somebody touches them.
"""

from __future__ import annotations

import functools
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from factored_bandits.core.stats import Verdict
from factored_bandits.policies import load, make, names

Item = TypeVar("Item")

COLOURS = {
    "blue": "#0072B2",
    "vermillion": "#D55E00",
    "green": "#009E73",
    "purple": "#CC79A7",
    "orange": "#E69F00",
    "sky": "#56B4E9",
    "black": "#000000",
}
PAPER = "blue"
GREY = "#777777"  # bounds, and what is no policy
FAINT = "#B3B7BC"  # what nobody has touched yet
INK = "#333333"  # text
SOFT = "#666666"  # captions
EDGE = "#999999"  # axes
PALE = "#d9d9d9"  # grids
DASHES: dict[str, tuple[float, ...]] = {
    "solid": (),
    "dashed": (5.0, 2.0),
    "dotted": (1.2, 1.6),
    "dashdot": (6.0, 1.8, 1.2, 1.8),
    "long": (10.0, 2.5),
    "dashdotdot": (6.0, 1.6, 1.2, 1.6, 1.2, 1.6),
    "short": (2.5, 1.5),
    "sparse": (4.0, 4.0),
}
# The same colours where the page is dark.
DARK = {
    COLOURS["blue"]: "#3FA2E0",
    COLOURS["vermillion"]: "#F07A2B",
    COLOURS["green"]: "#1FBF92",
    COLOURS["purple"]: "#DD93BC",
    COLOURS["orange"]: "#F0B429",
    COLOURS["sky"]: "#8CCBF2",
    COLOURS["black"]: "#E8E8E8",
    GREY: "#A0A0A0",
}
MARKERS = ("o", "s", "^", "D", "v", "P")
FEW = 6  # policies that can all have a colour
BEST = 3  # of more than a few policies, how many have one because they are the best


class Look(NamedTuple):
    """How a policy is drawn."""

    colour: str  # a hexadecimal code
    dashes: tuple[float, ...]  # lengths of dash and gap, in line widths; empty for a solid line
    marker: str  # empty for an algorithm with its default parameters


# What a comparison came out as; told apart by shape as well.
VERDICTS: dict[Verdict, Look] = {
    "holds": Look("#0F6B45", (), "o"),
    "fails": Look("#B42318", (), "X"),
    "undecided": Look("#7A5300", (), "D"),
}


def look(label: str) -> Look:
    """How the policy with this label is drawn alone.

    In a figure with many variants of it the marker may differ; see `looks`.

    >>> look("tea")
    Look(colour='#0072B2', dashes=(), marker='')
    >>> look("flat_ucb1(alpha=0.5)").colour == look("flat_ucb1").colour
    True
    """
    return looks([label])[label]


def looks(labels: Iterable[str], stressed: Iterable[str] = ()) -> dict[str, Look]:
    """How the policies of one figure are drawn, each different.

    Of the algorithms that are `stressed` no two share a colour, as far as there are colours.

    >>> labels = ["tea", "mine", "flat_ucb1", "flat_ucb1(alpha=0.5)", "flat_ucb1(alpha=1.0)"]
    >>> len(set(looks(labels).values()))
    5
    >>> pair = ["rank1_elim", "rank1_elim_kl"]
    >>> [look.colour for look in looks(pair).values()]
    ['#E69F00', '#E69F00']
    >>> [look.colour for look in looks(pair, stressed=pair).values()]
    ['#E69F00', '#D55E00']
    """
    every = sorted(set(labels))
    styles = assign_styles((label.partition("(")[0] for label in every), _library())
    styles |= _coloured_apart([label.partition("(")[0] for label in stressed], styles)
    found: dict[str, Look] = {}

    for label in every:
        name, _, parameters = label.partition("(")
        colour, dashes = styles[name]
        markers = _turned(MARKERS, parameters) if parameters else [""]
        candidates = [Look(COLOURS[colour], DASHES[dashes], marker) for marker in markers]
        unused = (each for each in candidates if each not in found.values())
        found[label] = next(unused, candidates[0])

    return found


def _coloured_apart(
    algorithms: Sequence[str], styles: Mapping[str, tuple[str, str]]
) -> dict[str, tuple[str, str]]:
    """The algorithms with a colour each; the first ones keep theirs."""
    found: dict[str, tuple[str, str]] = {}
    for name in dict.fromkeys(algorithms):
        colour, dashes = styles[name]
        taken = {other for other, _ in found.values()}
        free = [each for each in COLOURS if each not in taken and each != PAPER]
        # the paper has an algorithm for factors and one for duels, which seldom meet
        if colour in taken and colour != PAPER and free:
            colour = free[0]
        found[name] = (colour, dashes)

    return found


def stressed_among(ranking: Sequence[str], also: Iterable[str] = ()) -> tuple[str, ...]:
    """Which policies of a figure have a colour: the paper's, those in `also`, and the best.

    Parameters
    ----------
    ranking
        The labels of all policies of the figure, the best first.
    also
        Labels that the figure is about.

    Returns
    -------
    tuple of str
        All of them if they are few.

    Examples
    --------
    >>> ranking = ["dts", "vdb", "rmed1", "rcs", "rucb", "savage", "dueling_tea"]
    >>> stressed_among(ranking, also=["rucb"])
    ('dueling_tea', 'rucb', 'dts', 'vdb', 'rmed1')
    """
    if len(ranking) <= FEW:
        return tuple(ranking)
    own = [label for label in ranking if of_the_paper(label)]
    named = [label for label in ranking if label in set(also)]
    return tuple(dict.fromkeys([*own, *named, *ranking[:BEST]]))


def grey_note(ranking: Sequence[str], seen: Sequence[str], also: Iterable[str] = ()) -> str:
    """What a caption says of grey lines and dots; empty where all have a colour.

    >>> grey_note(["tea", "uniform"], ["tea", "uniform"])
    ''
    >>> grey_note(["a", "b"], ["a"])
    'Coloured: the algorithms of the paper and the three best; grey: all others.'
    """
    if len(seen) == len(ranking):
        return ""
    more = ", and those that the text is about" if set(also) & set(seen) else ""
    return f"Coloured: the algorithms of the paper and the three best{more}; grey: all others."


def of_the_paper(label: str) -> bool:
    """Whether it is an algorithm of the paper, with the paper's parameters.

    >>> of_the_paper("tea"), of_the_paper("tea(bound=betting)"), of_the_paper("mine")
    (True, False, False)
    """
    return label in names() and load(label).INFO.theorem is not None


def short(label: str) -> str:
    """A label with the values of its parameters only, for places where there is little room.

    >>> short("tea"), short("dueling_tea(bound=betting)")
    ('tea', 'dueling_tea betting')
    """
    name, _, inside = label.partition("(")
    values = [part.partition("=")[2].strip() for part in inside.rstrip(")").split(",")]
    return " ".join([name, *filter(None, values)])


def bound_look(name: str, index: int) -> Look:
    """How a bound is drawn: grey, upper bounds dashed, lower ones dotted, others by their index.

    >>> bound_look("upper bound", 0).dashes, bound_look("lower bound", 1).dashes
    ((5.0, 2.0), (1.2, 1.6))
    """
    known = {"upper": "dashed", "lower": "dotted"}
    patterns = [pattern for pattern in DASHES if pattern != "solid"]
    pattern = known.get(name.partition(" ")[0], patterns[index % len(patterns)])
    return Look(GREY, DASHES[pattern], "")


@functools.cache
def _library() -> dict[str, tuple[str, str]]:
    """The colour and dashes of every algorithm of the library."""
    declared = {name: make(name).info.style for name in names()}
    known = {name: style for name, style in declared.items() if style is not None}
    return assign_styles(names(), known)


def assign_styles(
    newcomers: Iterable[str], known: Mapping[str, tuple[str, str]]
) -> dict[str, tuple[str, str]]:
    """Give each newcomer the first free style, from one that its letters determine; others stay."""
    styles = dict(known)
    every = [(colour, dashes) for dashes in DASHES for colour in COLOURS if colour != PAPER]
    reserve = [(PAPER, dashes) for dashes in DASHES]

    for name in sorted(set(newcomers) - set(known)):
        candidates = [*_turned(every, name), *reserve]
        free = (style for style in candidates if style not in styles.values())
        styles[name] = next(free, candidates[0])

    return styles


def _turned(sequence: Sequence[Item], text: str) -> list[Item]:
    """The sequence from an index that `text` determines, once round."""
    start = zlib.crc32(text.encode()) % len(sequence)
    return [*sequence[start:], *sequence[:start]]
