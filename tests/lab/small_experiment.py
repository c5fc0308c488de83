"""A small experiment for tests: 32 tasks of a repetition each, some tenths of a second in all."""

TOML = """
name = "small"
policies = ["uniform", "tea", "flat_ucb1", "flat_ucb1(alpha=0.1)", "flat_ucb1(alpha=0.2)", "flat_ucb1(alpha=0.3)", "exp3", "comband"]
seed = 3
checkpoints = 10
seconds = 1e-6

[[problems]]
name = "a"
problem = "rank1"
levels = 2
[[problems]]
name = "b"
problem = "additive"
levels = 3
factors = 2

[quick]
horizon = {horizon}
repetitions = 2
"""
TASKS = 8 * 2 * 2  # a repetition each
ROWS = TASKS * 10
KEYS = ["experiment", "problem", "policy", "repetition", "round"]


def numbers(frame):
    """What must not depend on who ran it, in which order, how often it was stopped."""
    plain = frame.astype(dict.fromkeys(frame.select_dtypes("category"), str))
    return plain.drop(columns=["seconds"]).sort_values(KEYS).reset_index(drop=True)
