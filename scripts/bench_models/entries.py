"""Which models and baselines the study lets play, and an endpoint that answers for all of them by name."""

import hashlib
import json
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[str], str]
"""From what the user asks to the answer."""

_MODEL_SECONDS = 1800.0  # a small model on a busy processor


@dataclass(frozen=True)
class Entry:
    """A row of the leaderboard. ``answer`` None: the language model answers, at ``temperature``."""

    name: str
    harnesses: tuple[str, ...]
    temperature: float = 0.0
    answer: Answer | None = None

    @property
    def slug(self) -> str:
        """The name as a file's name."""
        return "".join(one if one.isalnum() or one == "." else "-" for one in self.name.lower())


def _constant(_question: str) -> str:
    return "the answer is 1."


def _random_number(question: str) -> str:
    """A number from 0 to 99, drawn by the question's digest: the same in every run."""
    return f"the answer is {int.from_bytes(hashlib.sha256(question.encode()).digest()[:4]) % 100}."


def _repeats(question: str) -> str:
    return question


SINGLE, PLANNED = "lecture/single-turn", "lecture/plan-then-act"
ENTRIES = (
    Entry("SmolLM2-135M-Instruct, greedy", (SINGLE,)),
    Entry("SmolLM2-135M-Instruct, temperature 1", (SINGLE,), temperature=1.0),
    Entry("baseline: always the same answer", (SINGLE, PLANNED), answer=_constant),
    Entry("baseline: a random number", (SINGLE, PLANNED), answer=_random_number),
    Entry("baseline: repeats the question", (SINGLE, PLANNED), answer=_repeats),
)


@contextmanager
def endpoint(upstream: str = "") -> Iterator[str]:
    """A server on loopback whose models are the entries; gives its URL up to ``/v1``.

    ``upstream`` is ``URL#MODEL`` of the language model.
    """

    class Answering(_Answering):
        url, _, model = upstream.partition("#")

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Answering(BaseHTTPRequestHandler):
    url = model = ""

    def do_POST(self) -> None:
        body: dict[str, Any] = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        entry = next(one for one in ENTRIES if one.name == body["model"])
        data = self._from_model(body) if entry.answer is None else _said(entry.answer, body)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _from_model(self, body: dict[str, Any]) -> bytes:
        sent = json.dumps(body | {"model": self.model}).encode()
        request = urllib.request.Request(  # noqa: S310 -- the operator names the address
            f"{self.url}/chat/completions", sent, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=_MODEL_SECONDS) as answer:  # noqa: S310
            found: bytes = answer.read()
        return found

    def log_message(self, *_: object) -> None:
        """Hundreds of answers need no line each."""


def _said(answer: Answer, body: dict[str, Any]) -> bytes:
    asked = next(str(one["content"]) for one in body["messages"] if one["role"] == "user")
    choice = {"message": {"role": "assistant", "content": answer(asked)}, "finish_reason": "stop"}
    return json.dumps({"choices": [choice]}).encode()
