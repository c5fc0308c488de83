"""The numbers of every policy, as they were when independent implementations agreed with them.

`digests.json` was recorded before the code was rearranged. It is renewed only where a defect is
mended or the layout of a state changes, and the commit says so:
`python tests/golden/record.py LABEL ...`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from golden import cases

DIGESTS = json.loads(Path(__file__).with_name("digests.json").read_text())


@pytest.mark.parametrize("label", sorted(DIGESTS))
def test_same_numbers_as_ever(label, monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert dict(cases.simulated(label)) | dict(cases.with_late_rewards(label)) == DIGESTS[label]


def test_every_policy_has_its_digests():
    assert sorted(DIGESTS) == sorted(cases.labels())


def test_digests_notice_a_change(monkeypatch):
    """One play more or less is seen."""
    assert cases.digest([1.0, 2.0]) != cases.digest([1.0, 2.0000001])
    assert cases.digest([1, 2]) != cases.digest([1, 2, 2])
