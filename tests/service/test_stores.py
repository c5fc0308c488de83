"""Every store keeps the contract, and the checks see stores that do not."""

from __future__ import annotations

import pytest

from factored_bandits.service.store import SqliteStore
from factored_bandits.service.store.sqlite import SqliteTransaction
from factored_bandits.testing import STORE_CHECKS, check_store


@pytest.mark.parametrize("check", STORE_CHECKS, ids=lambda check: check.__name__)
def test_sqlite_keeps_the_contract(check, tmp_path):
    check(lambda: SqliteStore(tmp_path / "shop.db"))


@pytest.mark.parametrize(
    ("name", "wrong", "said"),
    [
        ("late", lambda self, experiment, decision: None, "a late reward is not found"),
        ("rollback", lambda self: self.commit(), "a rollback left another experiment"),
        ("mark", lambda self, experiment, n: 7, "the number of a transaction is another one"),
    ],
)
def test_a_store_that_breaks_the_contract_is_noticed(name, wrong, said, tmp_path, monkeypatch):
    monkeypatch.setattr(SqliteTransaction, name, wrong)
    with pytest.raises(AssertionError, match=said):
        check_store(lambda: SqliteStore(tmp_path / "shop.db"))
