"""A figure of matplotlib that a notebook shows by itself; imported where one is drawn."""

from __future__ import annotations

import io

from matplotlib.figure import Figure


class Picture(Figure):
    """A figure that says how it looks.

    Notebooks know the figures of pyplot, which this library does not import.
    """

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        self.savefig(buffer, format="png", dpi=100)
        return buffer.getvalue()
