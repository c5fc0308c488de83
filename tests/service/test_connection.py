"""The short way through a connection answers what the ordinary one does, whatever is sent how."""

from __future__ import annotations

import contextlib
import http.client
import io
import json
import signal
import socket
import threading

import pytest

pytest.importorskip("uvicorn", reason="the extra [serve] is not installed")

import uvicorn
from served import HOME, end, shop_at, start

import factored_bandits as fb
from factored_bandits.service.api import connection
from factored_bandits.service.api.access import new_key
from factored_bandits.service.api.app import application
from factored_bandits.service.api.connection import connections
from factored_bandits.service.api.endpoints import LARGEST_BODY
from factored_bandits.service.engine import Engine
from factored_bandits.service.store import SqliteStore

DECISIONS = "/v1/experiments/home/decisions"
REWARDS = "/v1/rewards"


class Server:
    """A server in a thread, which counts the requests that took the short way."""

    def __init__(self, place, origins=()) -> None:
        fb.open(place, "tea", **HOME).close()
        self.engine = Engine(SqliteStore(place))
        self.key = new_key(self.engine.store, "tests", "admin")
        app = application(self.engine, origins)
        self._server = uvicorn.Server(
            uvicorn.Config(app, port=0, http=connections(app), log_config=None, access_log=False)
        )
        self._thread = threading.Thread(target=self._server.run)
        self._thread.start()
        while not self._server.started:
            assert self._thread.is_alive(), "the server did not start"
        self.port = self._server.servers[0].sockets[0].getsockname()[1]

    def head(self, path=DECISIONS, method="POST", version="1.1", **headers):
        """The lines before a body."""
        given = {"Host": "shop", "Authorization": f"Bearer {self.key}", **headers}
        lines = [f"{method} {path} HTTP/{version}", *(f"{k}: {v}" for k, v in given.items())]
        return "\r\n".join(lines).encode() + b"\r\n\r\n"

    def request(self, body=None, **of_head):
        content = json.dumps(body if body is not None else {"count": 1}).encode()
        of_head.setdefault("Content-Length", str(len(content)))
        return self.head(**of_head) + content

    def exchange(self, *parts, answers=1):
        """What is answered to bytes that are sent in parts: status, headers, content of each."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as wire:
            for part in parts:
                wire.sendall(part)
            file = wire.makefile("rb")
            return [read(file) for _ in range(answers)]

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join()
        self.engine.close()


class Kept:
    """What `http.client` wants of a socket, where there may be more answers to come."""

    def __init__(self, file: io.BufferedIOBase) -> None:
        self._file = file

    def makefile(self, mode: str) -> io.BufferedIOBase:
        return self._file


class Unclosed(http.client.HTTPResponse):
    """It does not close its file at the end."""

    def _close_conn(self) -> None:
        self.fp = None


def read(file):
    found = Unclosed(Kept(file), method="POST")
    found.begin()
    content = found.read()
    headers = {name.lower(): value for name, value in found.getheaders()}
    return found.status, headers, content


@pytest.fixture
def short(monkeypatch):
    """The requests that took the short way."""
    taken = []
    made = connection.Exchange.__init__

    def counted(self, *given):
        taken.append(self)
        made(self, *given)

    monkeypatch.setattr(connection.Exchange, "__init__", counted)
    return taken


@pytest.fixture
def server(tmp_path, short):
    made = Server(tmp_path / "shop.db")
    yield made
    made.close()


def decision(answer):
    status, _, content = answer
    assert status == 200, content
    return json.loads(content)["decisions"][0]


def test_a_decision_and_its_reward_take_the_short_way(server, short):
    [asked] = server.exchange(server.request())
    token = decision(asked)["token"]
    [told] = server.exchange(
        server.request({"rewards": [{"token": token, "reward": 1.0}]}, path=REWARDS)
    )
    assert json.loads(told[2]) == {"outcomes": [{"outcome": "accepted"}]}
    assert len(short) == 2


REQUESTS = {
    "a decision": {},
    "a wrong key": {"Authorization": "Bearer fb_wrong"},
    "no key": {"Authorization": ""},
    "a body that does not fit": {"body": {"count": "many"}},
    "a reward that is none": {"path": REWARDS, "body": {"rewards": [{"token": "x", "reward": 1}]}},
    "no such experiment": {"path": "/v1/experiments/none/decisions"},
    "an id": {"X-Request-Id": "abc.1"},
}


@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS)
def test_both_ways_say_the_same(server, short, request_):
    given = dict(request_)
    path = given.pop("path", DECISIONS)
    [[one], [other]] = (
        server.exchange(server.request(path=each, **given)) for each in (path, f"{path}?")
    )
    assert len(short) == 1
    assert one[0] == other[0]
    assert set(one[1]) == set(other[1])
    assert one[1]["content-type"] == other[1]["content-type"]
    if one[0] == 200 and path == DECISIONS:
        found = [decision(each) for each in (one, other)]
        assert [each["id"] for each in found] == [1, 2]
        assert set(found[0]) == set(found[1])
    else:
        assert one[2] == other[2]


@pytest.mark.parametrize(
    ("of_head", "is_short"),
    [
        ({"path": "/v1/experiments/h%6fme/decisions"}, False),
        ({"path": f"{DECISIONS}?a=b"}, False),
        ({"path": "/v1/experiments/home//decisions"}, False),
        ({"version": "1.0"}, False),
        ({"Expect": "100-continue"}, False),
        ({"Connection": "close"}, True),
        ({"Upgrade": "websocket", "Connection": "upgrade"}, False),
        ({"Origin": "https://shop.example"}, True),  # nobody else's pages may read anything here
    ],
)
def test_what_is_unusual_is_left_to_uvicorn(server, short, of_head, is_short):
    request = server.request(**of_head)
    answers = 2 if "Expect" in of_head else 1
    found = (
        server.exchange(request, answers=answers) if answers == 1 else continued(server, request)
    )
    status, headers, _ = found[-1]
    assert status == (404 if "//" in of_head.get("path", "") else 200)
    assert bool(short) == is_short
    if (
        of_head.get("version") != "1.0"
    ):  # which closes anyway; only newer versions of uvicorn say so
        closes = of_head.get("Connection") == "close"
        assert (headers.get("connection") == "close") == closes


def continued(server, request):
    """A client that sends its body when it is told to."""
    head, _, body = request.partition(b"\r\n\r\n")
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as wire:
        wire.sendall(head + b"\r\n\r\n")
        file = wire.makefile("rb")
        assert file.readline() == b"HTTP/1.1 100 Continue\r\n"
        assert file.readline() == b"\r\n"
        wire.sendall(body)
        return [read(file)]


def test_a_page_of_an_allowed_origin_takes_the_ordinary_way(tmp_path, short):
    server = Server(tmp_path / "shop.db", origins=("https://shop.example",))
    with contextlib.closing(server):
        [[page], [other]] = (
            server.exchange(server.request(**given))
            for given in ({"Origin": "https://shop.example"}, {})
        )
    assert page[1]["access-control-allow-origin"] == "https://shop.example"
    assert "access-control-allow-origin" not in other[1]
    assert len(short) == 1


def test_a_request_that_comes_byte_by_byte(server, short):
    request = server.request({"units": ["Ada"]})
    [[found]] = [server.exchange(*(request[i : i + 1] for i in range(len(request))))]
    assert decision(found)["unit"] == "Ada"
    assert len(short) == 1


def test_a_body_in_chunks(server, short):
    body = b'{"units": ["Ada"]}'
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(c), c) for c in (body[:5], body[5:])) + b"0\r\n\r\n"
    [found] = server.exchange(server.head(**{"Transfer-Encoding": "chunked"}), chunks)
    assert decision(found)["unit"] == "Ada"
    assert len(short) == 1


def test_requests_before_their_answers_are_answered_in_their_order(server, short):
    alive = server.head("/healthz", "GET")
    asks = [server.request({"units": [name]}) for name in ("Ada", "Bob", "Cyd")]
    found = server.exchange(b"".join([asks[0], asks[1], alive, asks[2], alive]), answers=5)
    assert [decision(found[i])["unit"] for i in (0, 1, 3)] == ["Ada", "Bob", "Cyd"]
    assert [found[2][2], found[4][2]] == [b"ok\n", b"ok\n"]
    assert short


def test_many_on_one_connection(server, short):
    asks = [server.request() for _ in range(50)]
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as wire:
        file = wire.makefile("rb")
        ids = []
        for ask in asks:
            wire.sendall(ask)
            ids.append(decision(read(file))["id"])
    assert ids == list(range(1, 51))
    assert len(short) == 50


def test_a_body_that_is_too_large_is_refused_and_the_connection_goes_on(server, short):
    large = b"x" * (LARGEST_BODY + 100_000)
    head = server.head(**{"Content-Length": str(len(large))})
    refused, found = server.exchange(head, large, server.request(), answers=2)
    assert refused[0] == 413
    assert decision(found)["id"] == 1
    assert len(short) == 2


def test_a_body_that_is_too_large_is_refused_before_it_is_there(server):
    head = server.head(**{"Content-Length": str(10**9)})
    [refused] = server.exchange(head, b"x" * (LARGEST_BODY + 1))
    assert refused[0] == 413


def test_who_goes_away_is_not_waited_for(server):
    for part in (server.request(), server.request()[:-3]):
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as wire:
            wire.sendall(part)
            # a reset, and not an orderly end
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    [found] = server.exchange(server.request())
    assert decision(found)["id"] in (1, 2)  # the first one may have been gone before it was read


def test_what_is_no_http_is_refused(server):
    [found] = server.exchange(b"POST nonsense\r\n\r\n")
    assert found[0] == 400
    [found] = server.exchange(server.request())
    assert decision(found)["id"] == 1


def test_an_error_of_ours_is_said_and_logged(server, short, monkeypatch, caplog):
    async def broken(self, *given):
        raise ZeroDivisionError("by order")

    monkeypatch.setattr(connection.Answering, "answer", broken)
    [found] = server.exchange(server.request())
    monkeypatch.undo()
    assert (found[0], found[1]["connection"]) == (500, "close")
    assert "by order" in caplog.text
    assert "by order" not in found[2].decode()
    assert len(short) == 1
    assert decision(server.exchange(server.request())[0])["id"] == 1


def test_a_server_that_ends_answers_what_it_was_asked(tmp_path):
    """Clients that ask all the time; each is answered, or its connection is closed before."""
    place = tmp_path / "shop.db"
    key = shop_at(place)
    process, port = start(place)
    asked = []
    cut = []

    def visitor():
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        headers = {"Authorization": f"Bearer {key}"}
        client.connect()
        client.auto_open = False
        for _ in range(100_000):
            try:
                client.request("POST", DECISIONS, '{"count": 1}', headers)
                answer = client.getresponse()
                asked.append(json.loads(answer.read())["decisions"][0]["id"])
            except (http.client.HTTPException, OSError) as error:
                cut.append(error)
                break
        client.close()

    try:
        threads = [threading.Thread(target=visitor) for _ in range(8)]
        for thread in threads:
            thread.start()
        while len(asked) < 500:
            assert not cut
        process.send_signal(signal.SIGTERM)
        for thread in threads:
            thread.join()
        assert process.wait(timeout=30) in (0, -signal.SIGTERM)
    finally:
        end(process)
    assert len(cut) == 8
    assert len(set(asked)) == len(asked)
    with fb.open(place, key="home") as agent:
        # a decision whose answer was not sent: at most one of each client, whose end came first
        assert 0 <= agent.status().asked - len(asked) <= 8
