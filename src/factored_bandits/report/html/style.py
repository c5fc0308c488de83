"""The colours of both themes, and the style sheet of the page."""

from __future__ import annotations

from importlib import resources

from factored_bandits.report.palette import DARK, FAINT, INK, PALE, VERDICTS
from factored_bandits.report.plotly import FONT

LIGHT_COLOURS = {
    "ground": "#f6f7f9",
    "card": "#ffffff",
    "ink": "#1f2328",
    "soft": "#59636e",
    "line": "#dfe3e8",
    "faint": "#b3b7bc",
    "link": "#0b5cad",
    "on-link": "#ffffff",
    "holds": "#0f6b45",
    "fails": "#b42318",
    "undecided": "#7a5300",
}
DARK_COLOURS = {
    "ground": "#0f1216",
    "card": "#171b21",
    "ink": "#e6e9ed",
    "soft": "#a3acb8",
    "line": "#2c333d",
    "faint": "#5b6471",
    "link": "#7ab8f5",
    "on-link": "#0f1216",
    "holds": "#5fd39b",
    "fails": "#ff9085",
    "undecided": "#e5b95c",
}


def asset(name: str) -> str:
    """A file that is put into the page as it is."""
    return resources.files(__package__).joinpath("assets", name).read_text(encoding="utf-8")


def style() -> str:
    """The style sheet of the page, after the colours of both themes."""
    light = dict(LIGHT_COLOURS)
    dark = dict(DARK_COLOURS)

    for colour, other in DARK.items():
        light[f"c-{colour[1:].lower()}"] = colour
        dark[f"c-{colour[1:].lower()}"] = other

    others = {INK: "ink", FAINT: "faint", PALE: "line"}
    others |= {look.colour: verdict for verdict, look in VERDICTS.items()}
    for colour, name in others.items():
        light[f"c-{colour[1:].lower()}"] = LIGHT_COLOURS[name]
        dark[f"c-{colour[1:].lower()}"] = DARK_COLOURS[name]

    bright = " ".join(f"--{name}: {value};" for name, value in light.items())
    dim = " ".join(f"--{name}: {value};" for name, value in dark.items())
    unless_chosen = f":root:not([data-theme]) {{ color-scheme: dark; {dim} }}"

    return "\n".join(
        [
            f":root {{ --font: {FONT}; color-scheme: light; {bright} }}",
            f":root[data-theme='dark'] {{ color-scheme: dark; {dim} }}",
            f"@media (prefers-color-scheme: dark) {{ {unless_chosen} }}",
            asset("page.css"),
        ]
    )
