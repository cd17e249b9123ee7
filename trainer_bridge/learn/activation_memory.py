"""Measures the memory of the backward pass in bytes for each token, and saves memory by recomputing activations."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks

from trainer_bridge.errors import SettingsError
from trainer_bridge.learn.logprobs import completion_logprobs
from trainer_bridge.learn.micro_batches import BatchRow, pack

_MEASURED_TOKENS = 64


def kept_bytes(model: Any, tokens: int = _MEASURED_TOKENS) -> int:
    """Bytes that autograd keeps for the backward pass of one row with ``tokens`` tokens, without the weights."""
    weights = {parameter.untyped_storage().data_ptr() for parameter in model.parameters()}
    kept: dict[int, int] = {}

    def keep(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in weights:
            kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    (micro,) = pack([BatchRow(0, (0,), (0,) * tokens)], max_tokens=tokens, device=model.device)
    with torch.enable_grad(), saved_tensors_hooks(keep, lambda tensor: tensor):
        outputs = completion_logprobs(model, micro, 1.0)
        del outputs  # Only now: another storage could get the address of a freed one.
    return sum(kept.values())


def tokens_within(model: Any, megabytes: int, *, recomputes: bool) -> int:
    """How many tokens of a micro-batch fit into this memory, at least 1. Weights and gradients are not counted.

    With recomputing, every layer keeps its input, and only one layer at a time keeps the rest.
    """
    a_token = kept_bytes(model) / _MEASURED_TOKENS
    if recomputes:
        layers, width = model.config.num_hidden_layers, model.config.hidden_size
        a_token = a_token / layers + layers * width * next(model.parameters()).element_size()
    return max(1, int(megabytes * 2**20 / a_token))


@contextmanager
def recomputing(model: Any) -> Iterator[None]:
    """A context manager. Inside it layers keep only their inputs and recompute the rest in the backward pass.

    transformers recomputes in training mode only. Only the layers are put into that mode, not their submodules, so
    dropout stays off. Forward passes outside the context are not affected.

    Raises:
        SettingsError: the model has no such layers, or they have dropout.

    """
    from transformers.modeling_layers import GradientCheckpointingLayer  # noqa: PLC0415

    layers = [layer for layer in model.modules() if isinstance(layer, GradientCheckpointingLayer)]
    dropouts = [name for name, value in vars(model.config).items() if re.search("dropout|pdrop", name) and value]
    if not layers or dropouts:
        reason = f"its {', '.join(dropouts)} would be switched on" if layers else "transformers cannot"
        raise SettingsError(f"gradient_checkpointing: this model's layers cannot be computed again: {reason}")
    _switch(model, "enable", {"use_reentrant": False})
    for layer in layers:
        layer.training = True
    try:
        yield
    finally:
        for layer in layers:
            layer.training = False
        _switch(model, "disable")


def _switch(model: Any, word: str, *given: Any) -> None:
    """Switch recomputing on or off, under the name that the installed release of transformers uses."""
    name = f"activation_checkpointing_{word}"
    getattr(model, name if hasattr(model, name) else f"gradient_checkpointing_{word}")(*given)
