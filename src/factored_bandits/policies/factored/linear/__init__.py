"""Linear and logistic models of the reward: UCB and Thompson sampling."""
