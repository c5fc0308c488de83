"""Entry points of compiled loops: each for its types, loaded or compiled."""

from __future__ import annotations

import pytest

from factored_bandits.core.kernel import bind, compiles, kernel

pytestmark = pytest.mark.skipif(not compiles(), reason="nothing is compiled here")


@kernel
def doubled(x):
    return x + x


@pytest.fixture
def not_kept(monkeypatch):
    """Loops that no other process, and no other test, finds on disk."""
    from factored_bandits.core import compiling

    monkeypatch.setattr(compiling, "can_be_kept", lambda loop, kernels: False)


def test_every_type_has_an_entry_of_its_own(not_kept):
    loop = bind(doubled, "entry_per_type")
    whole = loop.entry(21)
    broken = loop.entry(0.5)

    assert (whole(21), broken(0.25)) == (42, 0.5)
    assert loop.entry(7) is whole
    # Loaded only: there already, in this process.
    assert loop.entry(7, load_only=True) is whole


def test_an_entry_that_was_not_kept_is_not_compiled_if_it_is_to_be_loaded(not_kept):
    loop = bind(doubled, "entry_not_kept")

    assert loop.entry(21, load_only=True) is None
    assert not loop.dispatcher.signatures
