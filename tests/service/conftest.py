from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def url():
    """The address of a PostgreSQL; tests that use it are in the xdist group "postgres"."""
    from postgres_shop import server

    yield from server()


@pytest.fixture
def own(url):
    """The address of a database of one's own."""
    import psycopg

    name = f"db_{os.getpid()}_{random.getrandbits(40)}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return url.replace("/postgres?", f"/{name}?")
