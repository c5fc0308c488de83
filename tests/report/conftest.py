"""What the tests of charts and of the page are made of: a small real comparison, run once per
process.
"""

from __future__ import annotations

import pandas as pd
import pytest

import factored_bandits as fb
from factored_bandits.core.stats import Mean
from factored_bandits.report.charts import Peer, curves, finals, peers, profile, slopes, timeline
from factored_bandits.report.claims import Claim
from factored_bandits.report.html.page import Opening, Section, write_page

POLICIES = ("uniform", "flat_ucb1", "tea")
LEVELS = (3, 4, 6)
HORIZON = 30_000


@pytest.fixture(scope="session")
def results():
    """Three policies on three problems of growing size; by number of levels."""
    problems = {k: fb.environments.spiked(levels=k, best=0.81, gap=0.6) for k in LEVELS}
    options = {"horizon": HORIZON, "repetitions": 4, "seed": 5, "progress": False}
    return {
        k: fb.compare(", ".join(POLICIES), problem, **options).results
        for k, problem in problems.items()
    }


@pytest.fixture(scope="session")
def frame(results):
    """The tidy frame that an experiment keeps."""
    parts = [
        result.to_frame()
        .rename(columns={"unit": "regret_unit"})
        .assign(experiment="growth", problem=f"spiked {k}", arms=f"{k}x{k}", horizon=HORIZON)
        for k, here in results.items()
        for result in here
    ]
    return pd.concat(parts, ignore_index=True)


@pytest.fixture(scope="session")
def eliminations(results):
    """The events of tea, on the largest problem."""
    result = results[LEVELS[-1]][-1]
    return pd.DataFrame(result.eliminations).assign(
        experiment="growth", problem="spiked 6", policy=result.label
    )


@pytest.fixture(scope="session")
def page(frame, eliminations, tmp_path_factory):
    """A report with every kind of chart."""
    growth = Section(
        "growth",
        "Growth",
        "Three policies on problems of growing size.\n\nThey differ.",
        [
            curves(frame, name="growth", title="Regret over time"),
            curves(frame[frame.arms == "6x6"], name="largest", title="The largest problem"),
            finals(frame, name="dots"),
            slopes(frame, name="against-k"),
        ],
    )
    rest = Section(
        "rest",
        "Eliminations and the profile",
        "",
        [
            timeline(eliminations, name="levels", sizes=[6, 6], horizon=HORIZON),
            profile(frame, name="within"),
        ],
        profile(frame).numbers[0],
    )
    claims = [
        Claim(
            "growth",
            "Regret of TEA grows in proportion to K",
            "slope 1.0 +- 0.1",
            "holds",
            "against-k",
        ),
        Claim("growth", "Uniform play learns nothing", "regret in proportion to rounds", "fails"),
        Claim("elsewhere", "Something else", "nothing", "undecided"),
        Claim("growth", "Nobody wrote this", "it is so", "holds", unit="in words", ours=True),
    ]
    facts = {"version": fb.__version__, "seed": "5"}
    first = peers({"Growth": [Peer("uniform", "uniform", Mean(3.0, 0.1), 1, "holds")]})
    opening = Opening("The paper says little, and that holds.", first)
    folder = tmp_path_factory.mktemp("report")
    return write_page(folder, [growth, rest], claims, facts, opening=opening, pdf=True)


@pytest.fixture(scope="session")
def busy(frame, tmp_path_factory):
    """A page with more policies than have a colour."""
    tea = frame[(frame.policy == "tea") & (frame.arms == "6x6")]
    names = ["rmed1", "dts", "rucb", "savage", "doubler", "sparring", "dueling_tea"]
    parts = [
        tea.assign(policy=name, regret=tea.regret * (1.0 + 0.5 * i)) for i, name in enumerate(names)
    ]
    every = pd.concat(parts)
    charts = [curves(every, name="many", title="Many"), finals(every, name="ends")]
    section = Section("crowd", "A crowd", "", charts)
    return write_page(tmp_path_factory.mktemp("busy"), [section], [], {})
