"""Pages of other origins: what they may read with `--allow-origin`; by default it is nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("uvicorn", reason="the extra [serve] is not installed")

from served import Visitor, serving, shop_at
from starlette.testclient import TestClient

from browser import FLAGS, executable
from factored_bandits.errors import InvalidInputError
from factored_bandits.service.api.app import application
from factored_bandits.service.api.origins import checked_origins
from factored_bandits.service.engine import Engine
from factored_bandits.service.store import SqliteStore

SHOP = "https://shop.example"
REWARDS = {"rewards": [{"token": "1.1.none", "reward": 1.0}]}
ALLOWED = "access-control-allow-origin"
# what a page does: post a reward, and ask for a flag as OFREP's web provider does
SCRIPT = """async ([base, key]) => {
  const said = [];
  const calls = [
    ["/v1/rewards", { rewards: [{ token: "1.1.none", reward: 1 }] }, {}],
    ["/ofrep/v1/evaluate/flags", { context: { targetingKey: "Ada", experiments: ["home"] } },
     { authorization: "Bearer " + key, "if-none-match": '"none"' }],
  ];
  for (const [path, body, headers] of calls) {
    try {
      const answer = await fetch(base + path, {
        method: "POST", body: JSON.stringify(body),
        headers: { "content-type": "application/json", ...headers },
      });
      await answer.json();
      said.push([answer.status, answer.headers.get("etag") !== null]);
    } catch (error) {
      said.push([error.name, false]);
    }
  }
  return said;
}"""


@pytest.fixture
def engine(tmp_path):
    made = Engine(SqliteStore(tmp_path / "shop.db"))
    yield made
    made.close()


def test_by_default_nobody_is_allowed(engine):
    with TestClient(application(engine)) as client:
        given = client.post("/v1/rewards", json=REWARDS, headers={"Origin": SHOP})
        assert given.status_code == 200
        assert not any(name.startswith("access-control") for name in given.headers)
        asked = {"Origin": SHOP, "Access-Control-Request-Method": "POST"}
        assert client.options("/v1/rewards", headers=asked).status_code == 405


def test_an_allowed_origin_and_no_other(engine):
    with TestClient(application(engine, [SHOP])) as client:
        decisions = "/v1/experiments/home/decisions"
        for path, body, status in (("/v1/rewards", REWARDS, 200), (decisions, {}, 401)):
            for origin, expected in ((SHOP, SHOP), ("https://other.example", None)):
                given = client.post(path, json=body, headers={"Origin": origin})
                assert (given.status_code, given.headers.get(ALLOWED)) == (status, expected)
                asked = {
                    "Origin": origin,
                    "Access-Control-Request-Method": "POST",
                    "Access-Control-Request-Headers": "authorization, content-type",
                }
                before = client.options(path, headers=asked)
                assert (before.status_code, before.headers.get(ALLOWED)) == (
                    (200, SHOP) if expected else (400, None)
                )
        assert "access-control-allow-credentials" not in given.headers


@pytest.mark.parametrize("wrong", ["shop.example", "ftp://shop.example", f"{SHOP}/page", "http://"])
def test_what_is_no_origin_is_refused(wrong):
    with pytest.raises(InvalidInputError, match="an origin is a scheme, a host and maybe a port"):
        checked_origins([wrong])


def test_a_page_in_a_browser_reads_what_it_may(tmp_path):
    """The page is at localhost, the service at 127.0.0.1: two origins for a browser."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser")
    program = executable()
    if program is None:
        pytest.skip("there is no Chromium here")
    found = []
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=FLAGS)
        for number, options in enumerate(((), ("--allow-origin", "*"))):
            place = tmp_path / f"{number}.db"
            key = shop_at(place, role="write")
            with serving(place, *options) as (_, port):
                page = browser.new_page()
                page.goto(f"http://localhost:{port}/healthz")
                found.append(page.evaluate(SCRIPT, [f"http://127.0.0.1:{port}", key]))
                page.close()
                visitor = Visitor(port, key)
                asked = visitor.call("GET", "/v1/experiments/home/status")[1]["asked"]
                visitor.close()
                assert asked == number  # without permission the browser does not even ask
        browser.close()
    assert found == [[["TypeError", False]] * 2, [[200, False], [200, True]]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--db", "shoop/shop.db"], "there is no folder 'shoop' for the database 'shop.db': make"),
        (["--allow-origin", "shop.example"], "an origin is a scheme, a host and maybe a port"),
    ],
)
def test_wrong_options_of_serve_are_said_and_nothing_is_made(options, message, tmp_path):
    command = [sys.executable, "-m", "factored_bandits", "serve", "--port", "0", *options]
    said = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert said.returncode != 0
    assert message in " ".join(said.stderr.split())
    assert list(tmp_path.iterdir()) == []
