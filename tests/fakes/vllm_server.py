"""A server that speaks what is used of vLLM 0.33 over HTTP, with a real (small) model behind it.

Names and shapes are those of vLLM's `entrypoints/openai/completion/protocol.py` and `entrypoints/serve/dev`.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM

from trainer_bridge.models.loaded_model import LoadedModel
from trainer_bridge.rollout.decoding.engine_choice import open_engine
from trainer_bridge.rollout.decoding.requests import GenerationRequest
from trainer_bridge.rollout.decoding.sampling import Sampling

REAL = json.loads((Path(__file__).parents[1] / "trainer_bridge/rollout/vllm_interface.json").read_text())
"""What vLLM takes and gives, read out of its wheel by scripts/vllm_interface.py. The real server lets unknown fields
pass with a warning.
"""


class VllmServerFake:
    """``mode``: raw or processed log-probabilities. ``reloads`` counts; ``stuck`` keeps the cache of prefixes."""

    def __init__(self, loaded: LoadedModel) -> None:
        self.loaded, self.mode, self.stuck, self.key = loaded, "processed", False, ""
        self.reloads = 0
        self.bodies: list[dict[str, Any]] = []
        self.change: dict[str, Any] = {}
        """Put over every choice."""
        self._lock = threading.Lock()

    def answer(self, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        with self._lock, torch.no_grad():
            assert path in REAL["routes"], path
            if path == "/collective_rpc":
                assert body["method"] == "reload_weights"
                assert set(body) <= {"method", "timeout", "args", "kwargs"}
                assert set(body["kwargs"]) <= set(REAL["GPUModelRunner.reload_weights"])
                return 200, {"results": [self._reload(Path(body["kwargs"]["weights_path"]))]}
            if path == "/reset_prefix_cache":
                return 200, {"success": not self.stuck}
            assert set(body) <= set(REAL["CompletionRequest"]), set(body) - set(REAL["CompletionRequest"])
            self.bodies.append(body)
            choice = self._complete(body) | self.change
            assert set(choice) <= set(REAL["CompletionResponseChoice"])
            assert set(choice["logprobs"] or ()) <= set(REAL["CompletionLogProbs"])
            return 200, {"id": "cmpl-1", "object": "text_completion", "model": "m", "choices": [choice], "usage": {}}

    def _reload(self, folder: Path) -> None:
        fresh = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
        self.loaded.model.load_state_dict(fresh.state_dict())
        self.reloads += 1

    def _complete(self, body: dict[str, Any]) -> dict[str, Any]:
        heat = body["temperature"]
        sampling = Sampling(heat, body.get("top_p", 1.0), body.get("top_k", 0))
        engine = open_engine(self.loaded, slots=1)
        engine.submit(GenerationRequest(tuple(body["prompt"]), body["max_tokens"], sampling, body["seed"]))
        ended: list[Any] = []
        while engine.is_busy:
            ended += engine.step()
        written = ended[0][1]
        logits = self.loaded.model(torch.tensor([body["prompt"]])).logits[0, -1].float()
        top = float((logits / (1.0 if self.mode == "raw" else heat or 1.0)).log_softmax(-1).max())
        return {
            "index": 0,
            "text": "",
            "finish_reason": "length" if written.truncated else "stop",
            "logprobs": {"token_logprobs": list(written.logprobs), "top_logprobs": [{"x": top}], "tokens": []},
            "prompt_token_ids": body["prompt"] if body.get("return_token_ids") else None,
            "token_ids": list(written.tokens) if body.get("return_token_ids") else None,
        }


@contextmanager
def serving(fake: VllmServerFake) -> Iterator[str]:
    """The fake on a port of its own; its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if fake.key and self.headers.get("Authorization") != f"Bearer {fake.key}":
                status, said = 401, {"error": "Unauthorized"}
            else:
                status, said = fake.answer(self.path, body)
            data = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
