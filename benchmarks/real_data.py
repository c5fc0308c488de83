"""Regret on problems made of real data: what `regret.py` prints, for a folder of files.

    python benchmarks/real_data.py FOLDER --horizons 1e5
    python benchmarks/real_data.py FOLDER --duels --horizons 2e4

The folder holds what is there of `upworthy_factorial.csv`, `obd_item_priors.csv`,
`cregg_taxes.csv.gz` and `llmfao.csv`; the loaders are those of `fb.data`, and the data are not part
of the project. Rates are what was counted, without correction for noise: the best are a little too
good.
"""

from __future__ import annotations

from pathlib import Path

from regret import Benchmark, chosen, options

import factored_bandits as fb


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--duels", action="store_true", help="the duels, not the factors")
    given = parser.parse_args()
    try:
        found = fb.suites.real(given.folder)
    except fb.errors.InvalidInputError as error:
        parser.error(str(error))

    instances = [one for one in found if one.name.startswith("models") == given.duels]
    # every combination of hyper-parameters is a table of its own size: `where_it_holds.py`
    instances = [one for one in instances if "/" not in one.name]
    if not instances:
        parser.error(f"{given.folder} holds no such problems")
    Benchmark(chosen(instances, given.problems, parser), given).run()


if __name__ == "__main__":
    main()
