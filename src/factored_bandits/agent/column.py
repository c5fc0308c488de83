"""A column of numbers by play, in chunks: growing copies nothing, and what is learned is freed."""

from __future__ import annotations

from typing import Any

import numpy as np

BITS = 8  # a chunk holds 256 plays
ROWS = 1 << BITS
LAST = ROWS - 1


class Column:
    """A value, or `width` of them, per play; plays are numbered upwards and forgotten from below.

    >>> rewards = Column(np.float64, blank=np.nan)
    >>> rewards.reach(250, 260)
    >>> rewards.write(250, np.arange(10.0))
    >>> rewards.read(257, 4).tolist()
    [7.0, 8.0, 9.0, nan]
    """

    def __init__(self, dtype: Any, width: int = 0, blank: float = 0) -> None:
        self._blank = blank  # of rows that were not written
        self._dtype = np.dtype(dtype)
        self._shape: tuple[int, ...] = (ROWS, width) if width else (ROWS,)
        self._chunks: dict[int, np.ndarray[Any, Any]] = {}
        self._first = 0  # no chunk before this one is kept

    def __getitem__(self, play: int) -> Any:
        return self._chunks[play >> BITS][play & LAST]

    def __setitem__(self, play: int, value: Any) -> None:
        self._chunks[play >> BITS][play & LAST] = value

    def reach(self, first: int, last: int) -> None:
        """Make room for the plays from `first` to `last`, if there is none."""
        for chunk in range(first >> BITS, (last >> BITS) + 1):
            if chunk not in self._chunks:
                if not self._chunks:
                    self._first = chunk
                self._chunks[chunk] = np.full(self._shape, self._blank, self._dtype)

    def write(self, play: int, values: np.ndarray[Any, Any]) -> None:
        """Put rows at `play` and the plays after it, for which there is room."""
        row = play & LAST
        if row + len(values) <= ROWS:
            self._chunks[play >> BITS][row : row + len(values)] = values
            return

        inside = ROWS - row
        self.write(play, values[:inside])
        self.write(play + inside, values[inside:])

    def read(self, play: int, count: int) -> np.ndarray[Any, Any]:
        """The `count` rows from `play` on, not to be written to."""
        row = play & LAST
        if 0 < count <= ROWS - row:
            return self._chunks[play >> BITS][row : row + count]

        rows = np.empty((count, *self._shape[1:]), self._dtype)
        done = 0
        while done < count:
            row = (play + done) & LAST
            length = min(count - done, ROWS - row)
            rows[done : done + length] = self._chunks[(play + done) >> BITS][row : row + length]
            done += length
        return rows

    def forget(self, below: int) -> None:
        """Free the chunks that hold only plays before `below`."""
        while self._first < below >> BITS:
            self._chunks.pop(self._first, None)
            self._first += 1
