"""What the pages of the service share: templates, assets, sign-in, forms, and errors for browsers.

A part of the service that has pages (`service/dashboard`) is a `Part`: a folder with `templates/`
and `assets/`, and a tuple of `Page`. `service/api/app.py` lists the parts.
"""

from __future__ import annotations

from .part import Page, Part
from .router import Pages
from .visit import Visit

__all__ = ["Page", "Pages", "Part", "Visit"]
