"""Reward models of factored problems: one file each."""
