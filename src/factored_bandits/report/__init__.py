"""Figures and tables. Reads results, never simulates."""
