"""Policies for duels: one file each, in a folder per family where they share building blocks."""
