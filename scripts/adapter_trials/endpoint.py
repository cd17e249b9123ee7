"""An OpenAI-compatible endpoint that says fixed words, for clients that want a model."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@contextmanager
def endpoint(say: Callable[[list[dict[str, Any]]], str]) -> Iterator[str]:
    """Its address below ``/v1``; ``say`` gets the messages and returns the answer."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            said = {"role": "assistant", "content": say(asked["messages"])}
            head = {"id": "fixed", "created": 0, "model": asked.get("model", "fixed")}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            end = {"index": 0, "finish_reason": "stop"}
            if asked.get("stream"):
                kind = {"object": "chat.completion.chunk"}
                parts = [
                    head | kind | {"choices": [{"index": 0, "delta": said, "finish_reason": None}]},
                    head | kind | {"choices": [end | {"delta": {}}]},
                    head | kind | {"choices": [], "usage": usage},
                ]
                lines = [*map(json.dumps, parts), "[DONE]"]
                self._send("text/event-stream", "".join(f"data: {line}\n\n" for line in lines))
            else:
                answer = {"object": "chat.completion", "choices": [end | {"message": said}], "usage": usage}
                self._send("application/json", json.dumps(head | answer))

        def _send(self, kind: str, text: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: Any) -> None:
            """Nothing: the client's own output is what is read."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
