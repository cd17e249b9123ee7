"""Float32 master weights under a model that computes in bfloat16, and AdamW over them."""

from typing import Any

import torch
from torch import Tensor

from trainer_bridge.errors import NonFiniteLossError
from trainer_bridge.settings import TrainSettings


class MasterWeights:
    """What is optimised. A float32 model is its own master; a narrower one gets a float32 copy.

    A learning rate of 1e-6 vanishes in bfloat16's eight bits: the update must be kept where it is not rounded away.
    The model's tensors are only ever written in place, so decoder and captured graphs go on seeing them.
    """

    def __init__(self, model: Any, settings: TrainSettings) -> None:
        self._parameters: list[Tensor] = [parameter for parameter in model.parameters() if parameter.requires_grad]
        self._is_separate = any(parameter.dtype != torch.float32 for parameter in self._parameters)
        self.masters = [
            parameter.detach().float().requires_grad_() if self._is_separate else parameter
            for parameter in self._parameters
        ]
        self.optimizer = torch.optim.AdamW(
            self.masters,
            lr=settings.learning_rate,
            betas=(settings.adam_beta1, settings.adam_beta2),
            eps=settings.adam_epsilon,
            weight_decay=settings.weight_decay,
            fused=True,
        )

    @torch.no_grad()
    def gather_gradients(self) -> None:
        """Add the model's gradients to the masters' in float32 and clear them (after every micro-batch)."""
        if not self._is_separate:
            return
        for parameter, master in zip(self._parameters, self.masters, strict=True):
            if parameter.grad is not None:
                if master.grad is None:
                    master.grad = parameter.grad.float()
                else:
                    master.grad.add_(parameter.grad)
                parameter.grad = None

    @torch.no_grad()
    def fill_gradients(self) -> None:
        """Make a gradient of 0 where nothing taught: AdamW then goes on by its memory, as after any gradient of 0."""
        for master in self.masters:
            if master.grad is None:
                master.grad = torch.zeros_like(master)

    def step(self, learning_rate: float, max_grad_norm: float) -> float:
        """Clip, step, copy to the model, clear. Returns the norm before clipping.

        Raises:
            NonFiniteLossError: the gradients are NaN or infinite; nothing was changed.

        """
        norm = torch.nn.utils.clip_grad_norm_(self.masters, max_grad_norm)
        if not torch.isfinite(norm):
            self.optimizer.zero_grad()
            raise NonFiniteLossError("the gradient norm is not finite; lower the learning rate or train in float32")
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.copy_to_model()
        return float(norm)

    @torch.no_grad()
    def copy_to_model(self) -> None:
        """Round the masters into the model's own tensors."""
        if self._is_separate:
            for parameter, master in zip(self._parameters, self.masters, strict=True):
                parameter.copy_(master)

    def state(self) -> dict[str, Any]:
        """Masters and optimizer, for a checkpoint."""
        return {"masters": [master.detach() for master in self.masters], "optimizer": self.optimizer.state_dict()}

    @torch.no_grad()
    def restore(self, state: dict[str, Any]) -> None:
        """Continue from :meth:`state`."""
        for master, saved in zip(self.masters, state["masters"], strict=True):
            master.copy_(saved)
        self.optimizer.load_state_dict(state["optimizer"])
        self.copy_to_model()
