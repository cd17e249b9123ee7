"""A model in this process as a policy for ``verihub eval``: the engine that training samples with."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from threading import Lock
from typing import Any

import torch

from hub_client.errors import HubUnreachableError, UsageError
from hub_client.settings import ClientSettings
from trainer_bridge.errors import ModelError, ModelUnreachableError
from trainer_bridge.models.devices import pick_device
from trainer_bridge.models.loaded_model import load_model
from trainer_bridge.rollout.chat import ChatModel, Conversations, TokenLimits
from trainer_bridge.rollout.decoding.engine_choice import open_engine
from trainer_bridge.rollout.decoding.sampling import Sampling
from trainer_bridge.rollout.serving_engine import ServingEngine

_SLOTS = 64  # chosen: answers written together; more wait


class LocalPolicy:
    """Concurrent attempts are generated together. A conversation continues from the tokens of its earlier turns."""

    def __init__(self, name: str, *, temperature: float, max_tokens: int, offline: bool, cache_dir: Path) -> None:
        self.name = name
        loaded = load_model(
            name,
            dtype=torch.float32,
            device=pick_device("auto"),
            cache=cache_dir,
            offline=offline,
        )
        self._model = ChatModel(loaded, name)
        self._sampling = Sampling(temperature)
        self._limits = TokenLimits(max_tokens)
        self._known, self._lock = Conversations(), Lock()
        self._open = ExitStack()
        self._engine = self._open.enter_context(ServingEngine(open_engine(loaded, slots=_SLOTS)))

    def complete(
        self,
        messages: Sequence[dict[str, Any]],
        tools: Sequence[dict[str, Any]],
        *,
        seed: int,
        max_tokens: int | None = None,
        stop: Sequence[str] = (),
    ) -> dict[str, Any]:
        """The assistant's next message; greedy at temperature 0.

        See :class:`~hub_client.transport.chat_endpoint.Policy`.
        """
        limits = self._limits if max_tokens is None else TokenLimits(max_tokens)
        with self._lock:
            request = self._model.request_for(
                self._known, messages, tools, sampling=self._sampling, limits=limits, seed=seed, stop=stop
            )
        generated = self._engine.submit(request).result()
        call = self._model.call(request, generated, has_tools=bool(tools))
        with self._lock:
            self._known.remember(messages, tools, call)
        usage = {"prompt_tokens": len(request.prompt), "completion_tokens": len(generated.tokens)}
        return {**call.message, "finish_reason": "length" if generated.truncated else "stop", "usage": usage}

    def close(self) -> None:
        """Stop the engine."""
        self._open.close()


def open_policy(
    name: str, *, temperature: float, max_tokens: int, offline: bool = False, cache_dir: Path | None = None
) -> LocalPolicy:
    """Load model ``name``, as in ``verihub train --model``; with ``offline``, from this machine only.

    ``cache_dir``: where downloaded models lie; without it, where the user's settings say.

    Raises the client's errors, as every policy does.
    """
    try:
        cache_dir = cache_dir or ClientSettings.load().cache_dir
        return LocalPolicy(name, temperature=temperature, max_tokens=max_tokens, offline=offline, cache_dir=cache_dir)
    except ModelUnreachableError as error:
        raise HubUnreachableError(str(error)) from error
    except ModelError as error:
        raise UsageError(str(error)) from error
