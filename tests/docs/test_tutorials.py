"""The notebooks of docs/tutorials print what they show, run by a real kernel of Jupyter."""

from __future__ import annotations

import sys

import pytest
from pages import ROOT

pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
pytest.importorskip("optuna")
pytest.importorskip("openfeature")

sys.path.insert(0, str(ROOT))

from tools.notebooks import NOTEBOOKS, run, shown_in

pytestmark = pytest.mark.xdist_group("tutorials")  # one kernel for all of them
DOORS = {"optuna", "paper", "prompts", "web-page"}


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    return run(NOTEBOOKS, tmp_path_factory.mktemp("jupyter"))


def test_there_is_one_for_each_door():
    assert {path.stem for path in NOTEBOOKS} == DOORS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_prints_what_it_shows(printed, path):
    """After a change on purpose: `python tools/notebooks.py`."""
    assert printed[path] == shown_in(path)
    assert any(printed[path])


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_small(path):
    assert path.stat().st_size < 20_000
