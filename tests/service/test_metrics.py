"""What those see who operate a service: metrics, lines of JSON, an alarm of the clock."""

from __future__ import annotations

import io
import json
import logging

import pytest

pytest.importorskip("starlette", reason="the extra [serve] is not installed")
from prometheus_client.parser import text_string_to_metric_families
from shop import CONFIG, MINUTE, shops
from test_http import NEW, Served

from factored_bandits.service.api.logs import LOGGERS, log_lines
from factored_bandits.service.engine import SIZES, Ask, Tell


@pytest.fixture
def served(tmp_path):
    made = Served(tmp_path / "shop.db")
    with made.client:
        assert made("POST", "/v1/experiments", NEW).is_success
        yield made
    made.engine.close()


def measured(served) -> dict[tuple[str, ...], float]:
    """Values by the name of a sample and those of its labels, in the order of their names."""
    text = served("GET", "/metrics", role=None).text
    return {
        (sample.name, *(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_what_happened_is_measured(served):
    path = "/v1/experiments/home"
    served("POST", f"{path}/decisions", {"units": [f"visitor {i}" for i in range(5)]}, "write")
    for decision, reward in ((1, 1.0), (1, 1.0), (1, 0.0), (2, 7.0), (2, 0.5), (9, 1.0)):
        body = {"rewards": [{"experiment": "home", "decision": decision, "reward": reward}]}
        served("POST", "/v1/rewards", body)
    served("POST", f"{path}/expire", {"decision": 3}, "write")
    served("POST", f"{path}/expire", {"decision": 4}, "write")
    body = {"rewards": [{"experiment": "home", "decision": 4, "reward": 1.0}]}
    served("POST", "/v1/rewards", body)

    found = measured(served)
    assert found["fb_decisions_total", "home"] == 5
    for outcome, count in (
        ("accepted", 2),
        ("duplicate", 1),
        ("conflict", 1),
        ("refused", 1),
        ("unknown", 1),
        ("late", 1),
    ):
        assert found["fb_rewards_total", outcome] == count, outcome
    for kind, count in (("ask", 5), ("tell", 2), ("expire", 2), ("late", 1)):
        assert found["fb_events_total", "home", kind] == count, kind
    assert found["fb_expired_share", "home"] == 2 / 4
    assert found["fb_late_share", "home"] == 1 / 4
    assert found["fb_open_decisions", "home"] >= 1
    assert 0 < found["fb_oldest_unlearned_seconds", "home"] < 600
    assert found["fb_fold_lag_events", "home"] == 0
    assert found["fb_database_away",] == 0
    assert found["fb_clock_jumps_total",] == 0
    assert found["fb_request_seconds_count", "/v1/rewards"] == 7
    assert found["fb_requests_total", "/v1/rewards", "200"] == 7


def test_what_another_server_wrote_is_lag_until_it_is_followed(served):
    served("POST", "/v1/experiments/home/decisions", {"count": 2}, "write")
    tx = served.engine.store.begin()
    row = tx.lock(1)
    event = tx.events(1, 0, 9)[-1]
    tell = event._replace(n=3, at=row.at + 1, kind="tell", decision=1, action=None, body=1.0)
    tell = tell._replace(propensity=None, unit=None, idem=None)
    tx.append(row._replace(head=3, at=row.at + 1), 2, [tell])
    tx.commit()
    assert measured(served)["fb_fold_lag_events", "home"] == 1
    served("GET", "/v1/experiments/home/status")
    assert measured(served)["fb_fold_lag_events", "home"] == 0


def test_batches_are_counted_by_their_size(tmp_path):
    shop = shops(tmp_path)()
    for _ in range(3):
        shop.engine.submit(1, Ask())
    shop.engine.step()
    shop.engine.submit(1, Tell(decision=1, reward=1.0))
    shop.engine.step()
    meter = shop.engine.meter
    assert (sum(meter.batches), meter.requests) == (2, 4)
    assert meter.batches[SIZES.index(1)] == meter.batches[SIZES.index(4)] == 1
    shop.close()


def test_a_clock_that_jumps_is_an_alarm(tmp_path, caplog):
    shop = shops(tmp_path)(CONFIG)
    shop.agent.ask()
    assert shop.engine.meter.jumps == 0
    shop.now += 40 * MINUTE
    shop.agent.ask()
    assert (shop.engine.meter.jumps, shop.agent.waiting) == (1, (2,))
    assert "the clock jumped by +2400.0 s" in caplog.text
    shop.now -= 10 * MINUTE
    shop.agent.ask()
    assert shop.engine.meter.jumps == 2
    shop.agent.ask()
    assert shop.engine.meter.jumps == 2
    shop.close()


@pytest.fixture
def lines():
    before = {
        name: (logging.getLogger(name).level, logging.getLogger(name).propagate) for name in LOGGERS
    }
    stream = io.StringIO()
    log_lines(False, stream)
    yield stream
    for name, (level, propagate) in before.items():
        logger = logging.getLogger(name)
        logger.handlers = [
            each for each in logger.handlers if getattr(each, "stream", None) is not stream
        ]
        logger.setLevel(level)
        logger.propagate = propagate


def test_lines_are_json_with_the_id_of_the_request(served, lines):
    given = {"X-Request-Id": "from-nginx.7"}
    found = served("GET", "/v1/experiments", role="read", headers=given)
    assert found.headers["x-request-id"] == "from-nginx.7"
    odd = served("GET", "/v1/experiments/away", headers={"X-Request-Id": 'a"b\\'})
    logger = logging.getLogger(LOGGERS[0])
    try:
        raise ValueError("by order")
    except ValueError:
        logger.exception("request %s failed", "x")
    logger.warning('it says "no"\nand again')

    first, second, failed, warned = map(json.loads, lines.getvalue().splitlines())
    assert (first["request"], first["route"], first["status"], first["level"]) == (
        "from-nginx.7",
        "/v1/experiments",
        200,
        "info",
    )
    assert second["request"] == odd.headers["x-request-id"] != 'a"b\\'
    assert "ValueError: by order" in failed["error"]
    assert (warned["level"], warned["message"]) == ("warning", 'it says "no"\nand again')
    assert not any(key in lines.getvalue() for key in served.keys.values())
