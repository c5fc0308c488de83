"""Policies that eliminate arms for good: Interleaved Filter, Beat the Mean, SAVAGE."""
