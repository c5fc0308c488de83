"""Clients of the real SDK over a provider of ours."""

from __future__ import annotations

import pytest
from openfeature import api

import factored_bandits as fb


@pytest.fixture
def agent():
    """An agent with factors of every type."""
    factors = {
        "headline": ["short", "long", "question"],
        "columns": [1, 2, 3],
        "size": [1, 1.5],
        "dark": [True, False],
    }
    return fb.Agent("tea", factors=factors, seed=1, compiled=False)


@pytest.fixture
def client_of():
    """A client of a provider; all providers are shut down at the end."""

    def made(provider: fb.openfeature.Provider) -> object:
        api.set_provider_and_wait(provider, domain="test")
        return api.get_client(domain="test")

    yield made
    api.clear_providers()
