"""A model for tests of ``verihub eval``: a real OpenAI-compatible server on loopback, whose answers the test decides."""

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[dict[str, Any]], Any]
"""From the request's body to a message (dict), a raw body (bytes), or (status, body)."""


class Model:
    """``asked`` holds every request's body; ``answer`` may be replaced at any time."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.answer: Answer = lambda _body: {"role": "assistant", "content": "no idea"}
        model = self

        class Answering(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                model.asked.append(body)
                model.keys.append(self.headers.get("Authorization", ""))
                status, data = (
                    _response(model.answer(body)) if self.path == "/v1/chat/completions" else (404, b"no page")
                )
                self.send_response(status)
                self.send_header("Retry-After", "0")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
        self.server.daemon_threads = True
        self.root = f"http://127.0.0.1:{self.server.server_port}"
        self.url = f"{self.root}/v1"
        self._thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self.server.shutdown()
        self._thread.join()
        self.server.server_close()


def _response(answer: Any) -> tuple[int, bytes]:
    if isinstance(answer, tuple):
        return answer[0], answer[1].encode()
    if isinstance(answer, bytes):
        return 200, answer
    reason = answer.pop("finish_reason", "stop")
    return 200, json.dumps({"choices": [{"message": answer, "finish_reason": reason}]}).encode()


def prompt_of(body: dict[str, Any]) -> str:
    """What the first user message asks."""
    return next(str(message["content"]) for message in body["messages"] if message["role"] == "user")


def saying(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}
