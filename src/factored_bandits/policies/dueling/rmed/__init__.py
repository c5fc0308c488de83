"""Relative minimum empirical divergence: RMED1, RMED2 and RMED2FH."""
