"""Reductions of duels to base bandits: Doubler, MultiSBM, Sparring and their successors."""
