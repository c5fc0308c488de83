"""The Open Bandit Dataset of ZOZOTOWN: click rates of fashion items.

The package `obp` brings a sample of the log and the counts of a month. It is found where it is
installed and not imported, which would need PyTorch; `pip install --no-deps obp` is enough.
"""

from __future__ import annotations

import importlib.util
import re
from functools import partial
from pathlib import Path

from factored_bandits.environments import make
from factored_bandits.environments._text_file import existing, path_of, read_text
from factored_bandits.environments.suites.instance import Instance
from factored_bandits.errors import InvalidInputError, MissingExtraError

from .source import ROUNDS, Dataset, Source, checksum, number, table_of

SOURCE = Source(
    "open_bandit",
    "clicks on the items of three campaigns of ZOZOTOWN",
    "Apache-2.0 (the package obp)",
    "Saito, Aihara, Matsutani and Narita (2021), Open Bandit Dataset and Pipeline, NeurIPS "
    "Datasets and Benchmarks",
    {
        "prior_bts.yaml": "81a54fbdc184021ccc62ab97de81ec35461c032e3d7f99ccaa0a9745f732d251",
        "obd_item_priors.csv": "62db2efa9b50fd64323a46280b4f1a482811a914ed7e7d91f41fbce715f415e4",
        "random/all/all.csv": "7168295b6e0a9eabcf3392320a5dd434e542b68e705d5cd9491499af589812f1",
        "random/men/men.csv": "ede6d08c6877f99cd3770f7d09e26c738e6aa6de4445ccccfb1356ba5d06b1eb",
        "random/women/women.csv": "e65f3bd3beb17664fa69cc129bf7bf85"
        "2a775f8ffa630506e505fc905315bb34",
        "bts/all/all.csv": "0ad874e4dbf6902f0845dd478ad8dde5ef6903583d3ffaace78411bdad064106",
        "bts/men/men.csv": "db6d1f7ed2d591ba521533e45286d4c1fba7fe57a8ad2e80342210335f43c527",
        "bts/women/women.csv": "e5d1b49a39b608585a2f3014a3f54970430cd37a495c1b73fceb85cdf428a5b8",
    },
)
COUNTS = ("campaign", "item_id", "clicks", "no_clicks")


def open_bandit(path: str | Path | None = None) -> Dataset:
    """One factor per campaign: the items, at the click rates that were counted in a month.

    Parameters
    ----------
    path
        A CSV file with columns `campaign`, `item_id`, `clicks` and `no_clicks`, or `prior_bts.yaml`
        of the package obp. By default that of the installed package.

    Returns
    -------
    A problem per campaign, and where they come from.

    Raises
    ------
    InvalidInputError
        If there is no such file, or it does not hold the counts.
    MissingExtraError
        If no path is given and the package obp is not installed.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "counts.csv"
    >>> _ = file.write_text("campaign,item_id,clicks,no_clicks\\nmen,0,5,995\\nmen,1,8,992\\n")
    >>> data = open_bandit(file)
    >>> data.instances[0].name, data.instances[0].why
    ('items men 2', '2 items, click rates 0.50% to 0.80%')
    """
    path = existing(
        package() / "policy" / "conf" / "prior_bts.yaml" if path is None else path_of(path)
    )
    counted = _of_prior(path) if path.suffix == ".yaml" else _of_table(path)

    instances = []
    for campaign, (clicks, others) in counted.items():
        rates = [one / (one + other) for one, other in zip(clicks, others, strict=True)]
        why = f"{len(rates)} items, click rates {min(rates):.2%} to {max(rates):.2%}"
        problem = partial(make, "table", means=rates)
        instances.append(Instance(f"items {campaign} {len(rates)}", problem, ROUNDS, why))

    return Dataset(SOURCE, checksum(path), tuple(instances))


def package() -> Path:
    """Where the package obp is installed."""
    found = importlib.util.find_spec("obp")
    if found is None or not found.submodule_search_locations:
        raise MissingExtraError(
            "the Open Bandit Dataset comes with the package obp: pip install --no-deps obp, "
            "or give the path of a file"
        )
    return Path(next(iter(found.submodule_search_locations)))


Counted = dict[str, tuple[list[float], list[float]]]


def _of_table(path: Path) -> Counted:
    counted: Counted = {}
    for at, row in enumerate(table_of(path, COUNTS), start=1):
        clicks, others = counted.setdefault(row["campaign"], ([], []))
        clicks.append(number(path, at, "clicks", row["clicks"]))
        others.append(number(path, at, "no_clicks", row["no_clicks"]))
    return counted


def _of_prior(path: Path) -> Counted:
    """The parameters of the beta priors: clicks and other showings of each item.

    The file has three depths: a campaign, alpha or beta, and numbers.
    """
    counted: Counted = {}
    into: list[float] = []
    for line in read_text(path).splitlines():
        if campaign := re.fullmatch(r"(\w+):", line):
            alpha, beta = counted.setdefault(campaign[1], ([], []))
        elif counted and (name := re.fullmatch(r" +(alpha|beta):", line)):
            into = alpha if name[1] == "alpha" else beta
        elif value := re.fullmatch(r" +- ([\d.]+)", line):
            into.append(float(value[1]))
        elif line.strip():
            raise InvalidInputError(f"{path.name}: {line!r} is no line of the priors of obp")

    if not counted or any(len(one) != len(other) or not one for one, other in counted.values()):
        raise InvalidInputError(f"{path.name}: no alpha and beta for each item of each campaign")
    return counted
