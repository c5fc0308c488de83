"""Checks for a policy, an environment or a store of one's own; the library's run through them, too.

Examples
--------
>>> from factored_bandits.policies.factored import uniform
>>> from factored_bandits.testing import check_policy
>>> check_policy(uniform, quick=True)
"""

from __future__ import annotations

from .environment import ENVIRONMENT_CHECKS, check_environment
from .policy import POLICY_CHECKS, check_policy
from .stores import STORE_CHECKS, check_store

__all__ = [
    "ENVIRONMENT_CHECKS",
    "POLICY_CHECKS",
    "STORE_CHECKS",
    "check_environment",
    "check_policy",
    "check_store",
]
