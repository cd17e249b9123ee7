"""A model in this process as a policy for ``verihub eval``: transformers' own generation, one answer at a time."""

import json
import re
import threading
from collections.abc import Sequence
from typing import Any

import platformdirs
import torch

from hub_client.errors import HubUnreachableError, UsageError
from hub_client.policies import ContextOverflowError
from trainer_bridge.devices import pick_device
from trainer_bridge.errors import ModelError, ModelUnreachableError
from trainer_bridge.models.loading import load_model

_TOOL_CALL = re.compile(r"<tool_call>\s*(\{.*?\})\s*</tool_call>", re.DOTALL)


class LocalPolicy:
    """Thread-safe by taking turns. Tools are offered through the chat template, and calls read from ``<tool_call>``."""

    def __init__(self, name: str, *, temperature: float, max_tokens: int) -> None:
        self.name = name
        self._device = pick_device("auto")
        self._loaded = load_model(
            name, dtype=torch.float32, device=self._device, cache=platformdirs.user_cache_path("verihub")
        )
        self._temperature = temperature
        self._max_tokens = max_tokens
        self._turn = threading.Lock()

    def complete(
        self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]], *, seed: int
    ) -> dict[str, Any]:
        """The assistant's next message; greedy at temperature 0."""
        tokenizer = self._loaded.tokenizer
        sampling = {"do_sample": True, "temperature": self._temperature} if self._temperature else {"do_sample": False}
        with self._turn, torch.no_grad():
            prompt = tokenizer.apply_chat_template(
                list(messages),
                tools=list(tools) or None,
                add_generation_prompt=True,
                return_tensors="pt",
                return_dict=True,
            ).to(self._device)
            length = prompt["input_ids"].shape[1]
            room = getattr(self._loaded.model.config, "max_position_embeddings", None)
            if room is not None and length >= room:
                raise ContextOverflowError(f"{length} tokens do not fit into {self.name}'s context of {room}")
            torch.manual_seed(seed)
            output = self._loaded.model.generate(
                **prompt,
                **sampling,
                max_new_tokens=min(self._max_tokens, room - length) if room is not None else self._max_tokens,
                eos_token_id=list(self._loaded.eos_ids),
                pad_token_id=self._loaded.eos_ids[0],
            )
        written = output[0, length:]
        is_whole = len(written) > 0 and int(written[-1]) in self._loaded.eos_ids
        text = tokenizer.decode(written, skip_special_tokens=True)
        return _message(text) | {"finish_reason": "stop" if is_whole else "length"}

    def close(self) -> None:
        """Forget the weights."""
        del self._loaded


def open_policy(name: str, *, temperature: float, max_tokens: int) -> LocalPolicy:
    """Load ``name``: smollm2, tiny, or a folder in transformers' format.

    Raises the client's errors, as every policy does.
    """
    try:
        return LocalPolicy(name, temperature=temperature, max_tokens=max_tokens)
    except ModelUnreachableError as error:
        raise HubUnreachableError(str(error)) from error
    except ModelError as error:
        raise UsageError(str(error)) from error


def _message(text: str) -> dict[str, Any]:
    calls = []
    for number, found in enumerate(_TOOL_CALL.findall(text)):
        try:
            said = json.loads(found)
            function = {"name": str(said["name"]), "arguments": json.dumps(said.get("arguments", {}))}
        except (ValueError, KeyError, TypeError):
            continue
        calls.append({"id": f"call-{number}", "type": "function", "function": function})
    message: dict[str, Any] = {"role": "assistant", "content": _TOOL_CALL.sub("", text).strip() if calls else text}
    return message | ({"tool_calls": calls} if calls else {})
