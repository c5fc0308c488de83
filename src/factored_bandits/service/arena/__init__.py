"""Votes of people: two candidates side by side, and an agent that chooses which two.

A study is an experiment of the service with arms, and what is shown of each arm. Whoever opens a
voter link judges duels of its agent; a vote is the reward of a decision. The log of the experiment
stays what it was: asks and tells. Which side an arm was shown on, to whom, and when, is kept beside
it in ballots.
"""

from __future__ import annotations
