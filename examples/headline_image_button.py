"""Twelve headlines, eight images, five buttons: which policy finds the best of 480 pages?

Each part adds to the log-odds of a purchase. Three policies that know nothing of that are compared:
TEA works factor by factor, UCB1 treats each of the 480 pages as an arm, uniform play is
the usual randomised test.
"""

import factored_bandits as fb

PAGE = fb.environments.make(
    "logistic",
    effects=[
        [0.0] * 11 + [1.6],  # headlines: one is much better
        [0.0] * 7 + [1.5],  # images
        [0.0] * 4 + [1.2],  # buttons
    ],
    base=-2.5,
)


def main():
    best = PAGE.mean(PAGE.best)
    first = PAGE.mean([0, 0, 0])
    print(f"best page {PAGE.best} converts {best:.1%}, the first page {first:.1%}\n")
    comparison = fb.compare("tea, flat_ucb1, uniform", PAGE, horizon=100_000, repetitions=4, seed=1)
    print(comparison)
    print()
    print(comparison.eliminations_table(["headline", "image", "button"]))


if __name__ == "__main__":
    main()
