"""Reward models of duels: one file each."""
