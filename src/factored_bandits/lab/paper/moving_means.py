"""Section 3 of the paper, relative comparisons: means that move cost TEA nothing, as a figure.

Rewards are Gaussian, so that the noise is the same wherever the means are.
"""

from __future__ import annotations

from functools import partial

from factored_bandits.core.stats import mean_of, verdict_of_runs
from factored_bandits.environments import make
from factored_bandits.environments.suites import Instance
from factored_bandits.lab.results import Results, all_of
from factored_bandits.lab.spec import Preset, Spec
from factored_bandits.report.charts import Chart, finals
from factored_bandits.report.claims import Claim

EFFECTS = [[0.4, 0.0, 0.0, 0.0]] * 2
STILL = "means stand still"
MOVING = {"means switch": "switch", "means drift": "drift"}
MOST = 0.1  # of the regret: what movement may cost, or save
FIGURE = "moving_means-finals"
_still = partial(make, "additive", effects=EFFECTS, base=-0.9, noise="gaussian", sigma=0.5)
_moving = partial(
    make,
    "stochastically_constrained",
    effects=EFFECTS,
    base=-0.9,
    swing=1.0,
    noise="gaussian",
    sigma=0.5,
)

SPEC = Spec(
    name="moving_means",
    title="Means that move",
    text="4 x 4 levels, the best of each factor 0.4 ahead. All means stand still; or are higher by "
    "1.0, two and a half gaps, in every other phase of time; or go up and down by as much, "
    "smoothly. Gaussian noise of 0.5.",
    problems=(
        Instance(STILL, _still, 50_000, "Section 3"),
        *(
            Instance(name, partial(_moving, pattern=pattern), 50_000, "Section 3")
            for name, pattern in MOVING.items()
        ),
    ),
    policies=("tea", "flat_ucb1"),
    unit="reward",
    quick=Preset(repetitions=20),
    full=Preset(repetitions=100),
)


def claims(results: Results) -> list[Claim]:
    """The regret of TEA is the same, within a tenth, whether means move or not."""
    still = results.final(STILL, "tea")
    room = MOST * still  # per repetition: its mean has an error, too
    verdicts = []
    told = [f"tea: {STILL} {mean_of(still)}"]

    for name in MOVING:
        extra = results.final(name, "tea") - still
        verdicts += [
            verdict_of_runs(side, 2 * len(MOVING)) for side in (room - extra, room + extra)
        ]
        told.append(f"{name} {mean_of(results.final(name, 'tea'))}")

    says = (
        'Section 3: comparing arms relatively "cancels out the effect of non-stationary means": '
        f"TEA has the same regret within {MOST:.0%}"
    )
    return [
        Claim(
            experiment="moving_means",
            says=says,
            measured="; ".join(told),
            verdict=all_of(verdicts),
            figure=FIGURE,
            unit=results.unit(),
        )
    ]


def charts(results: Results) -> list[Chart]:
    """Final regret for each kind of movement."""
    return [finals(results.frame, FIGURE, "Final regret where means stand still, switch and drift")]
