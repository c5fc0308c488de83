"""Processes that end with the one that started them."""

from __future__ import annotations

import os
import threading
import time

_followed: set[int] = set()


def end_with(parent: int) -> None:
    """End this process when its parent ends: a killed parent cannot tell its children to stop."""
    if parent in _followed or os.getpid() == parent:
        return
    _followed.add(parent)

    def follow() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()
