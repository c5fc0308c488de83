"""Upworthy: A/B tests of headlines and images of which every combination was shown."""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from pathlib import Path

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.environments import make
from factored_bandits.environments._text_file import path_of
from factored_bandits.environments.suites.instance import Instance
from factored_bandits.errors import InvalidInputError

from .source import ROUNDS, Dataset, Source, checksum, number, table_of

SOURCE = Source(
    "upworthy",
    "impressions and clicks of headline x image factorials",
    "CC BY 4.0",
    "Matias, Munger, Le Quere and Ebersole (2021), The Upworthy Research Archive, a time series of "
    "32,487 experiments in U.S. media, Scientific Data 8",
    {
        "upworthy_factorial.csv": "3be7f34870d4120f1c1d3d6853052268"
        "c6d76e196b67bd85f0d4b4b58738c354",
    },
)
# The archive: in these weeks visitors were not assigned at random.
FAULTY_WEEKS = range(201326, 201403)
# our table of factorials, and the archive's own files of packages
TABLE = {"test": "test", "week": "week", "headline": "headline", "image": "image"}
PACKAGES = {
    "test": "clickability_test_id",
    "week": "test_week",
    "headline": "headline",
    "image": "eyecatcher_id",
}

Cells = dict[tuple[str, str], tuple[int, int]]


def upworthy(path: str | Path) -> Dataset:
    """Headline x image tests, as tables of click rates; those with most visitors first.

    A test is taken if it has at least two headlines and two images and every headline was shown
    with every image. Tests of weeks 2013-26 to 2014-02, in which visitors were not assigned at
    random, are left out. Rates are what was counted: the best ones are a little too good.

    Parameters
    ----------
    path
        A CSV file of the archive (columns `clickability_test_id`, `test_week`, `headline`,
        `eyecatcher_id`, `impressions`, `clicks`), or a table of factorials (`test`, `week`,
        `headline`, `image`, `impressions`, `clicks`).

    Returns
    -------
    The problems and where they come from.

    Raises
    ------
    InvalidInputError
        If there is no such file, a column is missing, a cell is no number, or no test is a full
        factorial.

    Examples
    --------
    See `Dataset`.
    """
    path = path_of(path)
    rows = table_of(path, ["impressions", "clicks"])
    names = PACKAGES if PACKAGES["test"] in rows[0] else TABLE
    table_of(path, list(names.values()))

    tests: dict[str, Cells] = defaultdict(dict)
    for at, row in enumerate(rows, start=1):
        if int(number(path, at, names["week"], row[names["week"]])) in FAULTY_WEEKS:
            continue
        # the same pair may have been shown in several packages, which differ in something else
        cell = (row[names["headline"]], row[names["image"]])
        clicks, shown = tests[row[names["test"]]].get(cell, (0, 0))
        clicks += int(number(path, at, "clicks", row["clicks"]))
        shown += int(number(path, at, "impressions", row["impressions"]))
        tests[row[names["test"]]][cell] = (clicks, shown)

    counted = [found for found in map(counts, tests.values()) if found is not None]
    if not counted:
        raise InvalidInputError(
            f"{path.name}: no test in which every headline was shown with every image"
        )
    counted.sort(key=lambda found: -int(found[1].sum()))
    return Dataset(
        SOURCE, checksum(path), tuple(_instance(n, *c) for n, c in enumerate(counted, start=1))
    )


def counts(cells: Cells) -> tuple[Floats, Floats] | None:
    """Clicks and impressions with an axis for headlines and one for images, of a full factorial.

    >>> cells = {("a", "x"): (1, 9), ("a", "y"): (2, 9), ("b", "x"): (3, 9), ("b", "y"): (4, 9)}
    >>> counts(cells)[0].tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    >>> counts({("a", "x"): (1, 9), ("b", "y"): (2, 9)}) is None
    True
    """
    headlines = list(dict.fromkeys(headline for headline, _ in cells))
    images = list(dict.fromkeys(image for _, image in cells))
    full = len(cells) == len(headlines) * len(images)
    if not full or len(headlines) < 2 or len(images) < 2:
        return None

    pairs = [[cells[headline, image] for image in images] for headline in headlines]
    both = np.array(pairs, dtype=np.float64)
    return (both[..., 0], both[..., 1]) if both[..., 1].min() > 0.0 else None


def _instance(place: int, clicks: Floats, shown: Floats) -> Instance:
    means = clicks / shown
    size = "x".join(map(str, means.shape))
    why = f"{int(shown.sum()):,} visitors, click rates {means.min():.2%} to {means.max():.2%}"
    problem = partial(make, "table", means=means)
    return Instance(f"upworthy {place} {size}", problem, ROUNDS, why)
