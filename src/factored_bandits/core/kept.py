"""Whether a compiled loop lies on disk, told without importing the compiler."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any


def may_be_kept(loop: Callable[..., Any], name: str) -> bool:
    """Whether a loop of this name may have been kept.

    Parameters
    ----------
    loop
        The loop as it was written.
    name
        Its name with kernels in it, see `kernel.loop_name`.

    Returns
    -------
    bool
        False only if it would lie in a folder that is known, and does not.
    """
    source = Path(loop.__code__.co_filename)
    files = f"{source.stem}.{name}-*.nbi"
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return any(Path(chosen).glob(f"*/{files}"))
    if any((source.parent / "__pycache__").glob(files)):
        return True
    # numba keeps loops beside their source if it can, and otherwise in the user's cache folder.
    return not os.access(source.parent, os.W_OK)
