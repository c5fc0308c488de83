"""Conjoint: people chose between two tax plans with seven features each."""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from pathlib import Path

import numpy as np

from factored_bandits.environments import make
from factored_bandits.environments._text_file import path_of
from factored_bandits.environments.suites.instance import Instance

from .source import ROUNDS, Dataset, Source, checksum, number, table_of

SOURCE = Source(
    "conjoint",
    "32,000 tax plans of seven features, shown in pairs, chosen or not",
    "MIT (the R package cregg)",
    "Ballard-Rosa, Martin and Scheve (2017), The structure of American income tax policy "
    "preferences, Journal of Politics 79; Leeper (2020), cregg",
    {
        "cregg_taxes.csv.gz": "e74b2bb69b1f1a14478da9f2013ed0d03393b96582b82a0023f76d69455d890c",
    },
)
CHOSEN = "chose_plan"
FEATURES = ("taxrate1", "taxrate2", "taxrate3", "taxrate4", "taxrate5", "taxrate6", "taxrev")


def conjoint(path: str | Path) -> Dataset:
    """The share of plans that were chosen, as a sum over seven features.

    Features were drawn at random, so the mean share of a level, over all plans that have it, is its
    effect beside random others (the field's marginal mean). Added up these may leave [0, 1]; then
    all are drawn together until they do not.

    Parameters
    ----------
    path
        A CSV file, packed or not, with a row for each plan and the columns `chose_plan` (1 or 0),
        `taxrate1` to `taxrate6` and `taxrev`.

    Returns
    -------
    The one problem and where it comes from.

    Raises
    ------
    InvalidInputError
        If there is no such file, a column is missing, or `chose_plan` is no number.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "plans.csv"
    >>> head = ",".join([CHOSEN, *FEATURES])
    >>> _ = file.write_text("\\n".join([head, "1,a,b,c,d,e,f,g", "0,h,b,c,d,e,f,g"]))
    >>> conjoint(file).instances[0].problem().sizes
    (2, 1, 1, 1, 1, 1, 1)
    """
    path = path_of(path)
    rows = table_of(path, [CHOSEN, *FEATURES])
    shares: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in FEATURES}
    every: list[float] = []

    for at, row in enumerate(rows, start=1):
        every.append(number(path, at, CHOSEN, row[CHOSEN]))
        for name in FEATURES:
            shares[name][row[name]].append(every[-1])

    overall = float(np.mean(every))
    effects = [
        [float(np.mean(one)) - overall for one in shares[name].values()] for name in FEATURES
    ]
    above = sum(max(factor) for factor in effects)
    below = -sum(min(factor) for factor in effects)
    fits = min(
        1.0,
        (1.0 - overall) / above if above > 0.0 else 1.0,
        overall / below if below > 0.0 else 1.0,
    )

    problem = partial(
        make,
        "additive",
        effects=[[fits * effect for effect in factor] for factor in effects],
        base=overall,
    )
    sizes = "x".join(str(len(factor)) for factor in effects)
    instance = Instance(f"taxes {sizes}", problem, ROUNDS, f"{len(every):,} plans")
    return Dataset(SOURCE, checksum(path), (instance,))
