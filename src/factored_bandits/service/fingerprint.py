"""Which library on which processor: a log can be computed again where the last digits agree.

The logarithm of another C library may differ in the last digit, and a policy may then choose
another level. So an experiment remembers what it was computed with.
"""

from __future__ import annotations

import functools
import hashlib
import math

import numpy as np

from factored_bandits import __version__

POINTS = np.linspace(0.001, 7.0, 257)


@functools.cache
def fingerprint() -> str:
    """The version of the library, and a digest of what this machine computes.

    Returns
    -------
    str
        Such as "0.1.0 5f1c0d6a3b2e".

    Examples
    --------
    >>> fingerprint() == fingerprint()
    True
    """
    return f"{__version__} {_digest()}"


def _digest() -> str:
    """Of elementary functions by Python and by NumPy, and of random numbers."""
    functions = (math.exp, math.log, math.log1p, math.expm1, math.lgamma, math.tanh, math.sqrt)
    by_python = [function(x) for function in functions for x in POINTS.tolist()]
    powers = [x**0.37 for x in POINTS.tolist()]
    by_numpy = [np.exp(-POINTS), np.log(POINTS), np.sqrt(POINTS), POINTS**0.37]

    rng = np.random.default_rng(0)
    drawn = [rng.random(64), rng.standard_normal(64), rng.integers(1000, size=64)]

    sha = hashlib.sha256()
    for values in (by_python, powers, *by_numpy, *drawn):
        sha.update(np.asarray(values, dtype=np.float64).tobytes())
    return sha.hexdigest()[:12]
