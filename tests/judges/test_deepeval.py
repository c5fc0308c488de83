"""ArenaGEval of deepeval as the judge of `arena`; its model is a server on loopback.

deepeval brings some eighty packages, and an older click than the development install has: `make
test-neighbours` runs this in an environment of its own.
"""

from __future__ import annotations

import asyncio
import http.server
import json
import math
import os
import random
import threading
import urllib.request

import pytest

import factored_bandits as fb

os.environ.setdefault("DEEPEVAL_TELEMETRY_OPT_OUT", "YES")
metrics = pytest.importorskip("deepeval.metrics", reason="deepeval is not installed")
models = pytest.importorskip("deepeval.models")
cases = pytest.importorskip("deepeval.test_case")

QUALITY = {"plain": 0, "short": 1, "steps": 3}
CALLS = 60


class Handler(http.server.BaseHTTPRequestHandler):
    """A fake language model: prefers the better answer, not always, and says so in JSON."""

    random = random.Random(5)
    lock = threading.Lock()

    def do_POST(self) -> None:
        prompt = self.rfile.read(int(self.headers["Content-Length"])).decode()
        content = json.dumps(self.answer(prompt)).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def answer(self, prompt: str) -> dict:
        begin = prompt.rfind('"arena_test_cases"')
        if begin < 0:
            return {"rewritten_reason": "it is better"}
        found, _ = json.JSONDecoder().raw_decode(prompt, prompt.index("{", begin))
        quality = {
            name: int(json.loads(shown)["actual_output"].rsplit(" ", 1)[1])
            for name, shown in found.items()
        }
        (a, x), (b, y) = quality.items()
        with self.lock:
            first = self.random.random() < 1.0 / (1.0 + math.exp(1.5 * (y - x)))
        return {"winner": a if first else b, "reason": "it is better"}

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def address():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_arena_g_eval_judges(address):
    class Model(models.DeepEvalBaseLLM):
        def load_model(self):
            return self

        def get_model_name(self):
            return "loopback"

        def generate(self, prompt, schema=None):
            request = urllib.request.Request(address, data=prompt.encode(), method="POST")
            with urllib.request.urlopen(request, timeout=10) as reply:
                document = json.loads(reply.read())
            return schema(**document) if schema else json.dumps(document)

        async def a_generate(self, prompt, schema=None):
            return await asyncio.to_thread(self.generate, prompt, schema)

    def contestant(name, question):
        answer = f"An answer of quality {QUALITY[name]}"
        case = cases.LLMTestCase(input=question, actual_output=answer)
        return cases.Contestant(name=name, test_case=case)

    async def judge(a, b, question):
        metric = metrics.ArenaGEval(
            name="better",
            evaluation_params=[cases.SingleTurnParams.ACTUAL_OUTPUT],
            evaluation_steps=["Choose the better answer."],
            model=Model(),
        )
        both = cases.ArenaTestCase(contestants=[contestant(a, question), contestant(b, question)])
        winner = await metric.a_measure(both, _show_indicator=False)
        return int(winner == a)

    result = asyncio.run(
        fb.arena(
            list(QUALITY),
            judge,
            items=["What is a prime?", "Why is the sky blue?"],
            budget=CALLS,
            concurrency=4,
            tries=1,
            progress=False,
        )
    )
    assert result.best == "steps"
    assert result.failed == 0
    assert result.calls == len(result.answers) <= CALLS
