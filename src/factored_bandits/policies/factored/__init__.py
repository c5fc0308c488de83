"""Policies for factored problems: one file each, in a folder per family."""
