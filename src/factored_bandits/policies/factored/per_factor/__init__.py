"""One stochastic bandit per factor, each fed with the reward of the whole combination."""
