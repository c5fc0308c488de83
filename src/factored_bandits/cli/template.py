"""The experiment that `init` writes, with comments, to be changed and run."""

TEMPLATE = """\
# An experiment. Run it with:  factored-bandits run {file}
name = "{name}"                  # letters, digits and _; the folder of its results
title = "Which ad, in which position?"
text = "What this shows, for the report."
policies = ["tea", "lb_inf", "flat_ucb1(alpha=0.5)"]   # or "*": all of factored-bandits policies
seed = 0                         # the same seed, the same numbers
checkpoints = 60                 # how many rounds, log-spaced, at which regret is noted
seconds = 5                      # of work per task, about: what is lost if a run is killed
# unit = "average"               # of regret, for duels: average, paper, weak, strong or copeland

[[problems]]                     # one block per problem
name = "clear"
problem = "rank1"                # factored-bandits environments lists them, with their parameters
levels = 8
best = 0.75
gap = 0.3

[[problems]]
name = "close"
problem = "rank1"
levels = 8
best = 0.75
gap = 0.2
# horizon = 200_000              # for this problem, where the preset below gives none

# [[problems]]                   # or a reward model with data of your own
# name = "mine"
# model = "additive"
# effects = [[0.3, 0.0], [0.1, 0.0, 0.0]]
# base = 0.2

[quick]                          # what is run by default
horizon = 20_000
repetitions = 4

[full]                           # what is run with --full
horizon = 1_000_000
repetitions = 20
# problems = ["close"]           # only these
# policies = ["tea"]             # instead of those above
"""
