"""The configuration of nginx that the pages show: two replicas, one of which is killed."""

from __future__ import annotations

import http.client
import shutil
import socket
import ssl
import subprocess
import time
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="the extra [serve] is not installed")
from served import Visitor, end, shop_at, start

from factored_bandits.service.store import opened
from factored_bandits.service.verify import verify

ROOT = Path(__file__).parents[2]
CONF = ROOT / "examples" / "nginx" / "service.conf"
UNITS = 40
pytestmark = pytest.mark.xdist_group("postgres")

MAIN = """daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log warn;
events {{ worker_connections 64; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  include {folder}/service.conf;
}}
"""


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Door(Visitor):
    """A visitor who comes through nginx, by TLS."""

    def __init__(self, port: int, key: str, certificate: Path) -> None:
        self._context = ssl.create_default_context(cafile=str(certificate))
        super().__init__(port, key)

    def _open(self, port: int) -> None:
        self._connection = http.client.HTTPSConnection(
            "localhost", port, timeout=self._timeout, context=self._context
        )


def certificate(folder: Path) -> Path:
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2"
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    files = ["-keyout", str(folder / "server.key"), "-out", str(folder / "server.crt")]
    subprocess.run([*command.split(), *names, *files], check=True, capture_output=True)
    return folder / "server.crt"


def wait_for(port: int) -> None:
    until = time.monotonic() + 30
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            assert time.monotonic() < until, "nginx does not listen"
            time.sleep(0.02)


def test_two_replicas_behind_nginx_and_one_is_killed(own, tmp_path):
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None or shutil.which("openssl") is None:
        pytest.skip("there is no nginx, or no openssl, here")
    key = shop_at(own, ttl=None, default=None)
    replicas = [start(own), start(own)]
    door = free_port()
    text = CONF.read_text(encoding="utf-8")
    for shown, real in (("8001", replicas[0][1]), ("8002", replicas[1][1]), ("8443", door)):
        assert shown in text
        text = text.replace(shown, str(real))
    text = text.replace(f"listen {door}", f"listen 127.0.0.1:{door}")
    text = text.replace("server.crt", f"{tmp_path}/server.crt")
    text = text.replace("server.key", f"{tmp_path}/server.key")
    (tmp_path / "service.conf").write_text(text, encoding="utf-8")
    (tmp_path / "nginx.conf").write_text(MAIN.format(folder=tmp_path), encoding="utf-8")
    trusted = certificate(tmp_path)
    nginx = subprocess.Popen([program, "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")])
    try:
        wait_for(door)
        visitor = Door(door, key, trusted)
        made = {}
        for number in range(UNITS):
            if number == UNITS // 2:
                end(replicas[0][0])  # kill -9
            status, decision = visitor.ask(f"visitor {number}")
            assert status == 200, decision
            made[number] = decision
            # for nobody in particular: a request that goes to the next replica is the same one
            status, said = visitor.call("POST", "/v1/experiments/home/decisions")
            assert status == 200, said

        page = Door(door, "none", trusted)  # a browser has no key
        for number, decision in made.items():
            assert page.tell(decision["token"], 1.0) == (200, "accepted")
            assert visitor.ask(f"visitor {number}") == (200, decision)
        status, state = visitor.call("GET", "/v1/experiments/home/status")
        assert (state["asked"], state["waiting"]) == (2 * UNITS, UNITS)

        for path in ("/metrics", "/healthz", "/openapi.json"):
            visitor.to(door)
            visitor._connection.request("GET", path)
            assert visitor._connection.getresponse().status == 404
        visitor.to(door)
        visitor._connection.request("GET", "/client.js")
        assert b"FactoredBandits" in visitor._connection.getresponse().read()
        for each in (visitor, page):
            each.close()
    finally:
        nginx.terminate()
        nginx.wait(timeout=30)
        for process, _ in replicas:
            if process.poll() is None:
                end(process)

    store = opened(own, read_only=True)
    tx = store.begin()
    found = verify(tx, tx.lock(1))
    store.close()
    assert (found.fault, found.counts["ask"], found.counts["tell"]) == (None, 2 * UNITS, UNITS)


def test_the_page_shows_the_configuration_that_is_tested():
    page = (ROOT / "docs" / "how-to" / "operating.md").read_text(encoding="utf-8")
    assert CONF.read_text(encoding="utf-8") in page
