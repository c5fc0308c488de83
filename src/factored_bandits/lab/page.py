"""The report of several experiments: one figure, the verdicts, then a section for each."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from factored_bandits.report.charts import Chart, Peer, curves, peers
from factored_bandits.report.claims import Claim, counts_of, split_claims
from factored_bandits.report.html.page import Opening, Section, write_page

from . import lookup as _lookup
from .results import Results

PEERS = "What the paper says, and what was measured: TEA beside its peers"
GIST = (
    "The paper says that TEA, which need not know how factors combine, has less regret than "
    "algorithms made for one form of reward, and with many arms less than those made for duels"
)


def claims_of(found: Sequence[Results]) -> list[Claim]:
    """What the experiments decide; an experiment from a file decides nothing."""
    return [
        claim
        for results in found
        if not results.spec.source
        for claim in _module(results).claims(results)
    ]


def write(
    folder: Path, found: Sequence[Results], claims: Sequence[Claim], *, pdf: bool = False
) -> Path:
    """Write the page and its figures into the folder, and return the path of the page."""
    sections = [section(results) for results in found]
    first = opening(found, claims) if claims else None
    return write_page(folder, sections, claims, facts(found), opening=first, pdf=pdf)


def opening(found: Sequence[Results], claims: Sequence[Claim]) -> Opening:
    """What the paper says and what holds, in a sentence; TEA beside its peers, as a figure."""
    groups: dict[str, list[Peer]] = {}
    for results in found:
        # a comparison needs all who take part
        if results.spec.source or results.missing:
            continue
        module = _module(results)
        if hasattr(module, "peers"):
            heading, here = module.peers(results)
            groups[heading] = here

    chart = peers(groups, "peers", PEERS) if groups else None
    return Opening(summary(claims, compared=bool(groups)), chart)


def summary(claims: Sequence[Claim], *, compared: bool) -> str:
    """What the page says, in one sentence; what the paper says where that was `compared`."""
    papers, _ = split_claims(claims)
    if not papers:
        return "None of the paper's sentences was put to the test here."
    counts = counts_of(papers)
    told = (
        f"of {len(papers)} of its sentences that these experiments can decide, "
        f"{counts['holds']} {_verb(counts['holds'], 'holds', 'hold')}, "
        f"{counts['fails']} {_verb(counts['fails'], 'fails', 'fail')} and "
        f"{counts['undecided']} {_verb(counts['undecided'], 'is', 'are')} undecided"
    )
    if len(papers) == 1:
        told = f"its one sentence that this experiment can decide {_alone(papers[0])}"
    return f"{GIST}: {told}." if compared else f"What the paper says: {told}."


def _verb(count: int, one: str, several: str) -> str:
    return one if count == 1 else several


def _alone(claim: Claim) -> str:
    return "is undecided" if claim.verdict == "undecided" else claim.verdict


def section(results: Results) -> Section:
    """One experiment: its own charts and table, or the curves of regret."""
    spec = results.spec
    charts = _lookup.charts_of(spec)
    table = _lookup.table_of(spec)

    if charts is None:
        drawn: list[Chart] = [curves(results.frame, f"{spec.name}-curves", spec.title)]
    else:
        drawn = charts(results)

    text = spec.text
    if results.missing:
        text += f"\n\n{results.missing} tasks are not finished; what is shown lacks them."

    return Section(spec.name, spec.title, text, drawn, table(results) if table else None)


def facts(found: Sequence[Results]) -> dict[str, str]:
    """How it was run."""
    frames = [results.frame for results in found if len(results.frame)]

    def every(column: str) -> str:
        values = [str(value) for frame in frames for value in frame[column].unique()]
        return ", ".join(dict.fromkeys(values))

    # a row per repetition
    last = [frame[frame["round"] == frame.horizon] for frame in frames]
    seconds = sum(float(frame.seconds.sum()) for frame in last)
    return {
        "experiments": ", ".join(results.spec.name for results in found),
        "preset": ", ".join(dict.fromkeys(results.preset for results in found)),
        "repetitions played": f"{sum(map(len, last)):,}",
        "seconds of one core": f"{seconds:,.0f}",
        "seed": every("seed"),
        "factored-bandits": every("version"),
        "numpy": every("numpy"),
        "numba": every("numba"),
        "machine": every("machine"),
        "written": datetime.datetime.now(tz=datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


def _module(results: Results) -> Any:
    return _lookup.load(results.spec.name)
