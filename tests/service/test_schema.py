"""What the OpenAPI description says is what happens: schemathesis follows its links and guesses."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import Counter

import pytest

pytest.importorskip("uvicorn", reason="the extra [serve] is not installed")
pytest.importorskip("schemathesis", reason="schemathesis is not installed")

import schemathesis
import uvicorn
from hypothesis import HealthCheck, Phase, settings
from served import HOME

from factored_bandits.service.api.access import new_key
from factored_bandits.service.api.app import application
from factored_bandits.service.api.openapi import document
from factored_bandits.service.config import made
from factored_bandits.service.engine import Engine
from factored_bandits.service.fingerprint import fingerprint
from factored_bandits.service.store import SqliteStore

STEPS = 15


class Fresh:
    """An application with a database that is new for every example, so that examples repeat."""

    def __init__(self, folder):
        self.folder = folder
        self.key = None
        self._numbers = iter(range(10**9))
        self._engine = None
        self._app = None
        self._life = None

    def renew(self):
        """The next request meets a new database with the experiment "home"."""
        self._app = None

    async def __call__(self, scope, receive, send):
        if self._app is None:
            await self._end()
            self._engine = Engine(SqliteStore(self.folder / f"{next(self._numbers)}.db"))
            config = made({name: value for name, value in HOME.items() if name != "key"}, {})[0]
            self._engine.store.create("home", config.text(), fingerprint())
            self.key = new_key(self._engine.store, "tests", "admin")
            self._app = application(self._engine)
            self._life = self._app.router.lifespan_context(self._app)
            await self._life.__aenter__()
        headers = [(b"authorization", f"Bearer {self.key}".encode())]
        others = [each for each in scope["headers"] if each[0] != b"authorization"]
        await self._app({**scope, "headers": headers + others}, receive, send)

    async def _end(self):
        if self._engine is not None:
            await self._life.__aexit__(None, None, None)
            self._engine.close()

    def close(self):
        asyncio.run(self._end())


@contextlib.contextmanager
def listening(app):
    """A real server in a thread; its address."""
    config = uvicorn.Config(app, port=0, log_level="critical", lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            threading.Event().wait(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()


def machine(url, fresh, seen):
    """Follows the links of the description; counts what was answered, and checks each answer."""
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi import checks

    wanted = [
        not_a_server_error,
        checks.status_code_conformance,
        checks.content_type_conformance,
        checks.response_schema_conformance,
        checks.response_headers_conformance,
    ]
    schema = schemathesis.openapi.from_dict(document())
    schema.config.update(base_url=url)

    class Explorer(schema.as_state_machine()):
        def setup(self):
            fresh.renew()
            self.calls = iter(range(10**9))

        def before_call(self, case):
            # A guess is hardly ever an experiment that can be: every other one is, with the key
            # and the labels that were guessed; and every other path names one that is there.
            if next(self.calls) % 2:
                return
            if case.operation.label == "POST /v1/experiments":
                case.body = plausible(case.body)
            elif "key" in (case.path_parameters or {}):
                case.path_parameters["key"] = "home"

        def validate_response(self, response, case, additional_checks=(), **kwargs):
            seen[case.operation.label, response.status_code] += 1
            case.validate_response(response, checks=wanted)

    return Explorer


def plausible(guess):
    """What can be kept of a guess."""
    given = guess if isinstance(guess, dict) else {}
    kept = {name: given[name] for name in ("key", "factors", "seed", "default") if name in given}
    return {**HOME, "key": "other", **kept, "ttl": "30m"}


def explore(folder, examples):
    """How often which answer came."""
    seen = Counter()
    fresh = Fresh(folder)
    with contextlib.closing(fresh), listening(fresh) as url:
        machine(url, fresh, seen).run(
            settings=settings(
                max_examples=examples,
                stateful_step_count=STEPS,
                deadline=None,
                derandomize=True,
                database=None,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
        )
    return seen


def test_answers_are_those_of_the_description(tmp_path):
    seen = explore(tmp_path, examples=5)
    assert seen.total() >= 25


@pytest.mark.full
def test_ten_thousand_answers_are_those_of_the_description(tmp_path):
    seen = explore(tmp_path, examples=1000)
    assert seen.total() >= 10_000
    operations = {label for label, status in seen if status < 300}
    for label in ("POST /v1/experiments", "POST /v1/experiments/{key}/decisions"):
        assert label in operations, seen
    for count in sorted(seen.items()):
        print(*count)
