"""A column of numbers by play, in chunks: growing copies nothing, and what is learned is freed."""

from __future__ import annotations

from typing import Any

import numpy as np

BITS = 8  # a chunk holds 256 plays
ROWS = 1 << BITS


class Column:
    """A value, or `width` of them, per play; plays are numbered upwards and forgotten from below.

    >>> rewards = Column(np.float64)
    >>> rewards.write(250, np.arange(10.0))
    >>> rewards.read(254, 4).tolist()
    [4.0, 5.0, 6.0, 7.0]
    """

    def __init__(self, dtype: Any, width: int = 0) -> None:
        self._dtype = np.dtype(dtype)
        self._shape: tuple[int, ...] = (ROWS, width) if width else (ROWS,)
        self._chunks: dict[int, np.ndarray[Any, Any]] = {}
        self._first = 0  # no chunk before this one is kept

    def __getitem__(self, play: int) -> Any:
        return self._chunks[play >> BITS][play & (ROWS - 1)]

    def __setitem__(self, play: int, value: Any) -> None:
        self._chunks[play >> BITS][play & (ROWS - 1)] = value

    def write(self, play: int, values: np.ndarray[Any, Any]) -> None:
        """Put rows at `play` and the plays after it."""
        done = 0
        while done < len(values):
            chunk, row = divmod(play + done, ROWS)
            if chunk not in self._chunks:
                if not self._chunks:
                    self._first = chunk
                self._chunks[chunk] = np.empty(self._shape, self._dtype)

            part = values[done : done + ROWS - row]
            self._chunks[chunk][row : row + len(part)] = part
            done += len(part)

    def read(self, play: int, count: int) -> np.ndarray[Any, Any]:
        """A copy of `count` rows from `play` on."""
        chunk, row = divmod(play, ROWS)
        if 0 < count <= ROWS - row:
            return self._chunks[chunk][row : row + count].copy()

        rows = np.empty((count, *self._shape[1:]), self._dtype)
        done = 0
        while done < count:
            chunk, row = divmod(play + done, ROWS)
            length = min(count - done, ROWS - row)
            rows[done : done + length] = self._chunks[chunk][row : row + length]
            done += length
        return rows

    def forget(self, below: int) -> None:
        """Free the chunks that hold only plays before `below`."""
        while self._first < below >> BITS:
            self._chunks.pop(self._first, None)
            self._first += 1
