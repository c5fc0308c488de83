"""Published data as logs: decisions at random, with rewards, for `fb.evaluate` and `history=`."""

from __future__ import annotations

from pathlib import Path

from factored_bandits.environments.real.conjoint import CHOSEN, FEATURES
from factored_bandits.environments.real.open_bandit import package
from factored_bandits.environments.real.source import table_of
from factored_bandits.errors import UnknownNameError
from factored_bandits.logs import Log, load_log

CAMPAIGNS = ("all", "men", "women")
BEHAVIOURS = ("random", "bts")


def open_bandit_log(
    campaign: str = "men", behaviour: str = "random", folder: str | Path | None = None
) -> Log:
    """Which item was shown and whether it was clicked, in the Open Bandit Dataset.

    Parameters
    ----------
    campaign
        "all", "men" or "women".
    behaviour
        Who chose the items: "random", or "bts", Bernoulli Thompson sampling.
    folder
        The folder `obd` of the dataset; by default that of the installed package obp, which holds
        10,000 rows of each log.

    Returns
    -------
    A log with one factor, `item_id`, and the propensities that the dataset states. The position on
    the page was not chosen and is left out.

    Raises
    ------
    UnknownNameError
        If there is no such campaign or behaviour.
    InvalidInputError
        If the file is not there, or a cell is wrong.
    MissingExtraError
        If no folder is given and the package obp is not installed.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> (folder / "random" / "men").mkdir(parents=True)
    >>> rows = "timestamp,item_id,position,click,propensity_score\\n1,7,3,0,0.5\\n2,9,1,1,0.5\\n"
    >>> _ = (folder / "random" / "men" / "men.csv").write_text(rows)
    >>> open_bandit_log("men", folder=folder)
    Log(2 rows, item_id: 2 levels, mean reward 0.5, with propensities)
    """
    if campaign not in CAMPAIGNS:
        raise UnknownNameError.of("campaign", campaign, CAMPAIGNS)
    if behaviour not in BEHAVIOURS:
        raise UnknownNameError.of("behaviour", behaviour, BEHAVIOURS)

    root = package() / "dataset" / "obd" if folder is None else Path(folder)
    names = ["timestamp", "item_id", "click", "propensity_score"]
    rows = table_of(root / behaviour / campaign / f"{campaign}.csv", names)
    columns = {
        "timestamp": [row["timestamp"] for row in rows],
        "item_id": [row["item_id"] for row in rows],
        "click": [float(row["click"]) for row in rows],
        "propensity_score": [float(row["propensity_score"]) for row in rows],
    }
    return load_log(
        columns,
        factors=["item_id"],
        reward="click",
        propensity="propensity_score",
        time="timestamp",
    )


def conjoint_log(path: str | Path) -> Log:
    """Which tax plan was shown and whether it was chosen, as seven factors drawn at random.

    Parameters
    ----------
    path
        The file that `conjoint` reads.

    Returns
    -------
    A log of seven factors, without propensities: the experiment did not draw all levels alike.

    Raises
    ------
    InvalidInputError
        If there is no such file, or a column is missing.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "plans.csv"
    >>> head = ",".join([CHOSEN, *FEATURES])
    >>> _ = file.write_text("\\n".join([head, "1,a,b,c,d,e,f,g", "0,h,b,c,d,e,f,g"]))
    >>> len(conjoint_log(file).factors)
    7
    """
    rows = table_of(path, [CHOSEN, *FEATURES])
    columns: dict[str, list[object]] = {name: [row[name] for row in rows] for name in FEATURES}
    columns[CHOSEN] = [float(row[CHOSEN]) for row in rows]
    return load_log(columns, factors=list(FEATURES), reward=CHOSEN)
