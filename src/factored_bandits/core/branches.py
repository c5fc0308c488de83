"""What the compiler is told of branches."""

from __future__ import annotations


def rarely(condition: bool) -> bool:
    """The condition, of which a compiled loop expects that it is false.

    What depends on it stays behind a branch, apart from the rest of the loop, whatever is around.
    Without that LLVM may work it out for every element, or lay out the branches in one way here and
    in another there, and how many of them the processor foresees changes with that.

    >>> rarely(2 > 1), rarely(1 > 2)
    (True, False)
    """
    return condition
