"""Tails of distributions without SciPy: Student's t, the binomial, the incomplete beta function."""
