"""Policies that look for the best within a budget of duels: what they earn meanwhile is no aim."""
