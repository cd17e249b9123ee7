"""The float32 weights that the optimizer updates, in as little memory as they take beside the model's own."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor

from trainer_bridge.errors import NonFiniteLossError
from trainer_bridge.learn.logprobs import completion_logprobs
from trainer_bridge.learn.micro_batches import MicroBatch
from trainer_bridge.settings import TrainSettings

# A float32 number as a bfloat16 number and 16 bits more

_HALF = 1 << 15  # of the last place that bfloat16 keeps: cutting off after adding it is rounding
_BLOCKS = {"cpu": 1 << 18}
"""Numbers that are taken apart or joined at a time, so that what lies between stays in a CPU's cache. A GPU takes all:
blocks took it 0.8 s for 1.2 billion weights, as thousands of kernels.
"""


def split(wide: Tensor, narrow: Tensor, rest: Tensor) -> None:
    """Write the nearest bfloat16 numbers of float32 numbers to ``narrow``, and their lower 16 bits to ``rest`` (int16).

    A number that lies between two is rounded away from 0 and not to even, so that :func:`join` is exact.
    """
    bits, upper, lower = wide.view(torch.int32).view(-1), narrow.view(torch.int16).view(-1), rest.view(-1)
    for block in _blocks(bits):
        upper[block] = (bits[block] + _HALF).bitwise_right_shift_(16)
        lower[block] = bits[block]


def _blocks(bits: Tensor) -> Iterator[slice]:
    size = _BLOCKS.get(bits.device.type, max(len(bits), 1))
    for start in range(0, len(bits), size):
        yield slice(start, start + size)


def join(narrow: Tensor, rest: Tensor, wide: Tensor) -> None:
    """Write to ``wide`` the float32 numbers of which :func:`split` made ``narrow`` and ``rest``, to the bit."""
    bits, upper, lower = wide.view(torch.int32).view(-1), narrow.view(torch.int16).view(-1), rest.view(-1)
    for block in _blocks(bits):
        bits[block] = upper[block]
        bits[block].bitwise_left_shift_(16).add_(lower[block])


# The weights

_BUCKETS = {"cpu": 1 << 22}
_LARGE_BUCKET = 1 << 26
"""Numbers that are widened to float32 at a time for the optimizer: on a GPU more, to launch fewer kernels."""


@dataclass(frozen=True)
class _Part:
    """Numbers ``start`` to ``end`` of a weight, all of them or (if it is larger than a bucket) some."""

    number: int
    start: int
    end: int
    whole: int
    """How many numbers the weight has."""

    @property
    def size(self) -> int:
        """How many numbers this is."""
        return self.end - self.start

    def of(self, tensor: Tensor) -> Tensor:
        """The same numbers of a tensor of the weight's shape: the tensor itself, or a part of it as one axis."""
        return tensor if self.size == self.whole else tensor.view(-1)[self.start : self.end]


class MasterWeights:
    """The float32 weights that the optimizer updates.

    They are the model's own weights unless those are bfloat16. That type has eight bits of precision, so an update at a
    learning rate of 1e-6 would be rounded away. Then the lower 16 bits of each float32 weight are kept beside the
    model, which holds the upper ones: two bytes a weight instead of the four of a copy.

    Gradients of bfloat16 weights stay bfloat16 until a second micro-batch is added to them, in float32. The model's
    tensors are only written in place, so that the decoder and captured graphs see every update.
    """

    def __init__(self, model: Any, settings: TrainSettings) -> None:
        self.model = model
        self._parameters: list[Tensor] = [parameter for parameter in model.parameters() if parameter.requires_grad]
        self._rests: dict[int, Tensor] = {}
        self._gradients: dict[int, Tensor] = {}
        """Of bfloat16 weights, which autograd's own field is cleared of as soon as they are computed."""
        for number, parameter in enumerate(self._parameters):
            if parameter.dtype == torch.bfloat16:
                self._rests[number] = torch.zeros_like(parameter, dtype=torch.int16)
                parameter.register_post_accumulate_grad_hook(partial(self._take_gradient, number))
        self._optimized = [
            torch.empty(0, device=parameter.device).requires_grad_() if number in self._rests else parameter
            for number, parameter in enumerate(self._parameters)
        ]
        """What the optimizer knows. Those of bfloat16 weights are filled only while they are updated."""
        self.optimizer = torch.optim.AdamW(
            self._optimized,
            lr=settings.learning_rate,
            betas=(settings.adam_beta1, settings.adam_beta2),
            eps=settings.adam_epsilon,
            weight_decay=settings.weight_decay,
            fused=True,
        )

    @property
    def masters(self) -> list[Tensor]:
        """The float32 weights. Those of bfloat16 weights are made for this call."""
        return [self._master(number) for number in range(len(self._parameters))]

    @property
    def gradients(self) -> list[Tensor | None]:
        """What was accumulated since the last step."""
        return [self._gradients.get(number, one.grad) for number, one in enumerate(self._parameters)]

    def logprobs(self, micro: MicroBatch, temperature: float) -> tuple[Tensor, Tensor]:
        """Log-probabilities_BT and entropy_BT of a micro-batch."""
        return completion_logprobs(self.model, micro, temperature)

    def backward(self, loss: Tensor) -> None:
        """Add the gradients of a micro-batch's loss to those of earlier ones."""
        loss.backward()

    @torch.no_grad()
    def step(self, learning_rate: float, max_grad_norm: float) -> float:
        """Clip the gradients, take an optimizer step, write the model's weights, and clear the gradients.

        A missing gradient counts as 0: AdamW updates that weight by its moments. Returns the norm before clipping.

        Raises:
            NonFiniteLossError: the gradients are NaN or infinite; nothing was changed.

        """
        gradients = [
            torch.zeros_like(parameter) if gradient is None else gradient
            for parameter, gradient in zip(self._parameters, self.gradients, strict=True)
        ]
        self.clear_gradients()
        buckets = list(self._buckets())
        room = max(sum(part.size for part in parts) for parts in buckets)
        weights, slopes = (torch.empty(room if self._rests else 0, device=gradients[0].device) for _ in range(2))
        norms = [
            torch.linalg.vector_norm(one, dtype=torch.promote_types(one.dtype, torch.float32)) for one in gradients
        ]
        norm = torch.linalg.vector_norm(torch.stack(norms))
        if not torch.isfinite(norm):
            raise NonFiniteLossError("the gradient norm is not finite; lower the learning rate or train in float32")
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        scale = (max_grad_norm / (norm + 1e-6)).clamp(max=1.0)
        for parts in buckets:
            self._update(parts, gradients, scale, weights, slopes)
        return float(norm)

    def _update(
        self, parts: Sequence[_Part], gradients: list[Tensor], scale: Tensor, weights: Tensor, slopes: Tensor
    ) -> None:
        """The optimizer's step for some of the weights. ``weights`` and ``slopes`` are room for float32 numbers."""
        start, moments = 0, {}
        for part in parts:
            number, optimized = part.number, self._optimized[part.number]
            if number in self._rests:
                own = part.of(self._parameters[number].data)
                optimized.data = weights[start : start + part.size].view_as(own)
                join(own, part.of(self._rests[number]), optimized.data)
            optimized.grad = _wide(part.of(gradients[number]), slopes[start:]).mul_(scale)
            if part.end == part.whole:  # free it, before AdamW makes its moments in the first step
                gradients[number] = gradients[number].new_empty(0)
            if part.size < part.whole:
                moments[number] = self._moments(optimized, self._parameters[number])
                self.optimizer.state[optimized] = {
                    name: part.of(one) if one.dim() else one.clone() for name, one in moments[number].items()
                }
            start += part.size
        self.optimizer.step()
        for part in parts:
            number, optimized = part.number, self._optimized[part.number]
            optimized.grad = None
            if number in self._rests:
                split(optimized.data, part.of(self._parameters[number].data), part.of(self._rests[number]))
                optimized.data = optimized.data.new_empty(0)
            if number in moments:
                steps = self.optimizer.state[optimized]["step"] if part.end == part.whole else moments[number]["step"]
                self.optimizer.state[optimized] = {**moments[number], "step": steps}

    def _moments(self, optimized: Tensor, parameter: Tensor) -> dict[str, Tensor]:
        """AdamW's state of a whole weight. Before its first step that is what AdamW itself would begin with."""
        found: dict[str, Tensor] = self.optimizer.state[optimized]
        return found or {
            "step": torch.zeros((), device=parameter.device),
            "exp_avg": torch.zeros_like(parameter, dtype=torch.float32, memory_format=torch.contiguous_format),
            "exp_avg_sq": torch.zeros_like(parameter, dtype=torch.float32, memory_format=torch.contiguous_format),
        }

    def _buckets(self) -> Iterator[list[_Part]]:
        """Consecutive weights of about a bucket's numbers together. Of a larger bfloat16 weight parts of that size."""
        bucket, size = list[_Part](), 0
        most = _BUCKETS.get(self._parameters[0].device.type, _LARGE_BUCKET) if self._parameters else 1
        for number, parameter in enumerate(self._parameters):
            whole = parameter.numel()
            length = min(whole, most) if number in self._rests and parameter.is_contiguous() else whole
            for start in range(0, whole, max(length, 1)):
                part = _Part(number, start, min(start + length, whole), whole)
                if bucket and (size + part.size > most or bucket[-1].number == number):
                    yield bucket
                    bucket, size = [], 0
                bucket.append(part)
                size += part.size
        if bucket:
            yield bucket

    def clear_gradients(self) -> None:
        """Clear the accumulated gradients."""
        self._gradients.clear()
        for parameter in self._parameters:
            parameter.grad = None

    def copy(self) -> list[Tensor]:
        """A copy of the model's trained tensors."""
        return [parameter.detach().clone() for parameter in self._parameters]

    @contextmanager
    def instead(self, others: Sequence[Tensor]) -> Iterator[None]:
        """Use ``others`` in place of the model's trained tensors.

        At the end the trained values are back in the same storage.
        """
        own = [parameter.data for parameter in self._parameters]
        for parameter, other in zip(self._parameters, others, strict=True):
            parameter.data = other
        try:
            yield
        finally:
            for parameter, data in zip(self._parameters, own, strict=True):
                parameter.data = data

    def whole(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        """Convert the result of :meth:`copy` to what a checkpoint stores."""
        return list(tensors)

    def shares(self, tensors: Sequence[Tensor] | None) -> list[Tensor]:
        """Convert what a checkpoint stored to what :meth:`instead` takes."""
        return list(tensors or ())

    def state(self) -> dict[str, Any]:
        """Masters and optimizer, for a checkpoint."""
        return {"masters": self.masters, "optimizer": self.optimizer.state_dict()}

    @torch.no_grad()
    def restore(self, state: dict[str, Any]) -> None:
        """Continue from :meth:`state`."""
        for number, saved in enumerate(state["masters"]):
            self._put(number, saved)
        self.optimizer.load_state_dict(state["optimizer"])

    def _master(self, number: int) -> Tensor:
        own, rest = self._parameters[number].detach(), self._rests.get(number)
        if rest is None:
            return own
        wide = torch.empty_like(own, dtype=torch.float32)
        join(own, rest, wide)
        return wide

    def _put(self, number: int, wide: Tensor) -> None:
        own = self._parameters[number].data
        if number in self._rests:
            split(wide, own, self._rests[number])
        else:
            own.copy_(wide)

    @torch.no_grad()
    def _take_gradient(self, number: int, parameter: Tensor) -> None:
        """Take over a bfloat16 gradient as soon as it is computed, or add it in float32 to those of before.

        So memory never holds a micro-batch's gradients of the whole model beside the sums.
        """
        taken, parameter.grad = parameter.grad, None
        if taken is None:
            return
        sum_of_before = self._gradients.get(number)
        if sum_of_before is None:
            self._gradients[number] = taken
        else:
            # the same sum as with mixed number types, in half of the time on a CPU
            self._gradients[number] = sum_of_before.float().add_(taken.float())


def _wide(gradient: Tensor, room: Tensor) -> Tensor:
    """A bfloat16 gradient as float32, written to ``room``; a wider one as it is."""
    if gradient.dtype != torch.bfloat16:
        return gradient
    return room[: gradient.numel()].view_as(gradient).copy_(gradient)
