"""One adversarial bandit per factor: follow the regularised leader, exponential weights."""
