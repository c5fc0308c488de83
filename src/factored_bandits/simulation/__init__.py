"""Policies on known problems, many times: simulate, compare, benchmark."""
