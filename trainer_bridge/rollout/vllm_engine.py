"""vLLM as the sampling engine: a running server, or vLLM inside this process.

Prompts are sent as token ids, and answers come as token ids with log-probabilities, so nothing is tokenised twice.
Weights are written to a folder, from which vLLM reloads them before each round. Written for vLLM 0.33:
`/v1/completions` with `return_token_ids`, and the method `reload_weights` of its workers, by `/collective_rpc` or
``LLM.collective_rpc``.
"""

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import httpx
import torch

from hub_client.errors import HubClientError
from hub_client.transport.json_endpoint import JsonEndpoint
from schemas.extras import how_to_install
from trainer_bridge.errors import EngineError, SettingsError
from trainer_bridge.models.loaded_model import LoadedModel
from trainer_bridge.models.saved_model import save_model
from trainer_bridge.rollout.decoding.requests import Ended, Generated, GenerationRequest, cut_at_end

_LOOK_SECONDS = 0.05
"""How long a step waits for the server. Between two steps the rollouts' environments continue."""
_PROBE_TEMPERATURE = 2.0  # at 1, log-probabilities before and after temperature are the same
_PROBE_DIFFERENCE = 0.25
"""By how many nats the server's log-probability of the likeliest token may differ from the model's."""


class WeightsFolder:
    """The folder to which the policy's weights are written for vLLM, with adapters merged."""

    def __init__(self, loaded: LoadedModel, folder: Path) -> None:
        self._loaded, self.folder = loaded, folder.absolute()
        self.eos_ids = loaded.eos_ids

    def write(self) -> Path:
        """Write the present weights atomically."""
        return save_model(self._loaded, self.folder)

    @torch.no_grad()
    def likeliest(self, prompt: Sequence[int], temperature: float) -> float:
        """Log-probability of the likeliest token after ``prompt``, computed here."""
        model = self._loaded.model
        logits_V = model(torch.tensor([list(prompt)], device=model.device)).logits[0, -1].float()
        return float((logits_V / temperature).log_softmax(-1).max())


def sampling_fields(request: GenerationRequest, eos_ids: Sequence[int]) -> dict[str, Any]:
    """The sampling settings of ``request`` by vLLM's names. All are given, since a server takes missing ones from the
    model's folder.
    """
    return {
        "max_tokens": request.limit,
        "temperature": request.sampling.temperature,
        "top_p": request.sampling.top_p,
        "top_k": request.sampling.top_k,
        "min_p": 0.0,
        "repetition_penalty": 1.0,
        "presence_penalty": 0.0,
        "frequency_penalty": 0.0,
        "seed": request.seed,
        "stop_token_ids": list(eos_ids),
        "logprobs": 0,  # only that of the sampled token
        **({"stop": list(request.stop.words)} if request.stop is not None else {}),
    }


class VllmServer:
    """A server started with ``VLLM_SERVER_DEV_MODE=1 vllm serve FOLDER --logprobs-mode processed_logprobs``."""

    def __init__(
        self,
        url: str,
        weights: WeightsFolder,
        *,
        key: str | None = None,
        slots: int = 64,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._endpoint = JsonEndpoint(url, key, transport=transport)
        self._weights = weights
        self._threads = ThreadPoolExecutor(slots, "verihub-vllm")
        self._running: dict[Future[Generated], GenerationRequest] = {}
        self._is_checked = False

    @property
    def is_busy(self) -> bool:
        """Whether answers are awaited."""
        return bool(self._running)

    def submit(self, request: GenerationRequest) -> None:
        """Send a request; the server batches those that run at the same time."""
        self._running[self._threads.submit(self._complete, request)] = request

    def step(self) -> list[Ended]:
        """Wait briefly for answers. Raises :class:`EngineError` if a request fails."""
        done, _ = wait(self._running, timeout=_LOOK_SECONDS, return_when=FIRST_COMPLETED)
        ended = [future for future in self._running if future in done]
        return [(self._running.pop(future), future.result()) for future in ended]

    def load_weights(self) -> None:
        """Have the server reload the weights and drop its cache. The first time, check that it has the same model.

        Raises:
            EngineError: the server refuses, or its log-probabilities are not those of this model.

        """
        for future in self._running:  # left by a round that was stopped
            future.cancel()
        self._running.clear()
        folder = self._weights.write()
        body = {"method": "reload_weights", "kwargs": {"weights_path": str(folder)}}
        self._post("collective_rpc", body)
        if not self._post("reset_prefix_cache", {}).get("success", False):
            raise EngineError("vLLM did not drop the keys and values of the old weights: is something else using it?")
        if not self._is_checked:
            self._check()
            self._is_checked = True

    def release(self) -> None:
        """Nothing to free: the server is another process."""

    def close(self) -> None:
        """Close connections and threads. The server keeps running."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._endpoint.close()

    def _complete(self, request: GenerationRequest) -> Generated:
        fields = sampling_fields(request, self._weights.eos_ids)
        choice = self._choice({"prompt": list(request.prompt), "return_token_ids": True, **fields})
        if choice.get("prompt_token_ids") != list(request.prompt):
            raise EngineError("vLLM computed another prompt than was sent: is it older than 0.33, or does it truncate?")
        logprobs = (choice.get("logprobs") or {}).get("token_logprobs")
        return _generated(choice.get("token_ids"), logprobs, self._weights.eos_ids, request)

    def _check(self) -> None:
        """Compare one log-probability, at a temperature that shows whether it is computed after temperature."""
        prompt = [self._weights.eos_ids[0]]
        fields = {"max_tokens": 1, "temperature": _PROBE_TEMPERATURE, "top_p": 1.0, "top_k": 0, "min_p": 0.0}
        choice = self._choice({"prompt": prompt, "logprobs": 1, "repetition_penalty": 1.0, "seed": 0, **fields})
        tops = (choice.get("logprobs") or {}).get("top_logprobs") or [{}]
        theirs = max((tops[0] or {}).values(), default=-math.inf)
        ours = self._weights.likeliest(prompt, _PROBE_TEMPERATURE)
        if not abs(theirs - ours) <= _PROBE_DIFFERENCE:
            raise EngineError(
                f"vLLM says {theirs:.3f} for the likeliest token after {prompt}, the model in training {ours:.3f}: "
                "start it with --logprobs-mode processed_logprobs, on this model, and let it read the same path"
            )

    def _choice(self, body: Mapping[str, Any]) -> dict[str, Any]:
        choices = self._post("v1/completions", body).get("choices") or []
        if len(choices) != 1 or not isinstance(choices[0], dict):
            raise EngineError(f"vLLM gave {len(choices)} answers where one was asked for")
        found: dict[str, Any] = choices[0]
        return found

    def _post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        try:
            said = self._endpoint.post(path, body)
        except HubClientError as error:
            hint = "" if path.startswith("v1/") else " (it needs VLLM_SERVER_DEV_MODE=1)"
            raise EngineError(f"vLLM{hint}: {error}") from error
        if not isinstance(said, dict):
            raise EngineError(f"vLLM answers {path} with {type(said).__name__} where an object was expected")
        return said


class VllmInProcess:
    """vLLM on this process's GPU, beside the trained model. A step finishes all waiting requests.

    So turns of many rollouts are generated in waves, and a slow environment delays the next wave.
    """

    def __init__(self, weights: WeightsFolder, *, slots: int, memory: float) -> None:
        try:
            import vllm  # noqa: PLC0415 -- an extra of its own
        except ImportError:
            raise SettingsError(f"engine=vllm without engine_url needs vllm: {how_to_install('vllm')}") from None
        self._vllm, self._weights = vllm, weights
        self._waiting: list[GenerationRequest] = []
        self._llm: Any = vllm.LLM(
            model=str(weights.write()),
            logprobs_mode="processed_logprobs",
            gpu_memory_utilization=memory,
            max_num_seqs=slots,
            seed=0,
        )

    @property
    def is_busy(self) -> bool:
        """Whether requests wait."""
        return bool(self._waiting)

    def submit(self, request: GenerationRequest) -> None:
        """Keep a request for the next step."""
        self._waiting.append(request)

    def step(self) -> list[Ended]:
        """Finish all waiting requests."""
        requests, self._waiting = self._waiting, []
        eos_ids = self._weights.eos_ids
        outputs = self._llm.generate(
            [{"prompt_token_ids": list(request.prompt)} for request in requests],
            [
                # It looks for words in the text alone.
                self._vllm.SamplingParams(**sampling_fields(request, eos_ids), detokenize=request.stop is not None)
                for request in requests
            ],
            use_tqdm=False,
        )
        return [
            (request, self._read(output.outputs[0], request)) for request, output in zip(requests, outputs, strict=True)
        ]

    def load_weights(self) -> None:
        """Reload the weights, and drop the cache of the old ones."""
        self._waiting.clear()
        self._llm.collective_rpc("reload_weights", kwargs={"weights_path": str(self._weights.write())})
        if not self._llm.reset_prefix_cache():
            raise EngineError("vLLM did not drop the keys and values of the old weights")

    def release(self) -> None:
        """Nothing to free: vLLM keeps its share of memory."""

    def close(self) -> None:
        """Drop the engine, which frees its memory."""
        self._llm = None

    def _read(self, output: Any, request: GenerationRequest) -> Generated:
        tokens = list(output.token_ids)
        found = [step[token].logprob for step, token in zip(output.logprobs or (), tokens, strict=False)]
        return _generated(tokens, found, self._weights.eos_ids, request)


def _generated(tokens: Any, logprobs: Any, eos_ids: Sequence[int], request: GenerationRequest) -> Generated:
    """The answer, which must have a log-probability for each token. Raises :class:`EngineError`."""
    if not tokens or not isinstance(logprobs, list) or len(logprobs) != len(tokens):
        raise EngineError("vLLM gave no token ids, or not a log-probability for each: is it older than 0.33?")
    if any(value is None or not math.isfinite(value) for value in logprobs):
        raise EngineError("vLLM gave a log-probability that is not a number")
    kept, truncated = cut_at_end(tokens, eos_ids, request)
    return Generated(kept, tuple(map(float, logprobs[: len(kept)])), truncated)
