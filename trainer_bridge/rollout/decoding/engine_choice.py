"""Opens an engine for a loaded model."""

from collections.abc import Sequence
from copy import deepcopy

import torch
from torch import nn

from trainer_bridge.models.loaded_model import LoadedModel
from trainer_bridge.rollout.decoding.engine import Engine, EngineSettings
from trainer_bridge.rollout.decoding.forward import Forward, LlamaForward, is_supported
from trainer_bridge.rollout.decoding.transformers_forward import TransformersForward


class EngineApart(Engine):
    """An engine on a copy of a model, so that it can generate while the model's weights are updated.

    The copy takes the model's trained weights in :meth:`load_weights` and keeps them until the next call.
    """

    def __init__(
        self, source: nn.Module, copied: nn.Module, forward: Forward, eos_ids: Sequence[int], settings: EngineSettings
    ) -> None:
        super().__init__(forward, eos_ids, settings)
        self._pairs = [
            (own, new) for own, new in zip(copied.parameters(), source.parameters(), strict=True) if new.requires_grad
        ]

    @torch.no_grad()
    def load_weights(self) -> None:
        """Copy the model's present weights."""
        for own, new in self._pairs:
            own.copy_(new)
        super().load_weights()


def open_engine(loaded: LoadedModel, *, slots: int, apart: bool = False) -> Engine:
    """Open an engine with ``slots`` slots and settings for the model's device.

    ``apart``: use a copy of the weights, which :meth:`Engine.load_weights` updates.

    Raises:
        ModelError: the model's state is not only keys and values.

    """
    model = deepcopy(loaded.model) if apart else loaded.model
    on_gpu = model.device.type == "cuda"
    forward: Forward = LlamaForward(model) if is_supported(model.config) else TransformersForward(model)
    settings = EngineSettings(slots, steps_between_looks=8 if on_gpu else 1, cuda_graphs=on_gpu)
    if apart:
        return EngineApart(loaded.model, model, forward, loaded.eos_ids, settings)
    return Engine(forward, loaded.eos_ids, settings)
