"""The policy sharded over several processes by FSDP2. Each keeps a shard of weights, gradients and AdamW's moments."""

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import DTensor, distribute_tensor

from trainer_bridge.errors import NonFiniteLossError
from trainer_bridge.learn.logprobs import completion_logprobs
from trainer_bridge.learn.micro_batches import MicroBatch
from trainer_bridge.ranks import Ranks
from trainer_bridge.settings import TrainSettings


class _Scoring(nn.Module):
    """The sharded module. Its ``forward`` computes log-probabilities, because FSDP gathers weights before
    ``forward``.
    """

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, micro: MicroBatch, temperature: float) -> tuple[Tensor, Tensor]:
        return completion_logprobs(self.model, micro, temperature)


class ShardedWeights:
    """Sharded float32 weights, in place of ``MasterWeights``. ``model`` is the sharded model.

    The engine samples from a whole model beside it, which gets the new values after every step.
    """

    def __init__(self, whole: Any, settings: TrainSettings, ranks: Ranks) -> None:
        assert ranks.device is not None
        self._ranks, self._mesh = ranks, init_device_mesh(ranks.device.type, (ranks.count,))
        self._scoring = _shard(whole, self._mesh, ranks.device)
        self.model = self._scoring.model
        self._targets = [one for one in whole.parameters() if one.requires_grad]
        self.masters: list[Any] = [one for one in self._scoring.parameters() if one.requires_grad]
        self.optimizer = torch.optim.AdamW(
            self.masters,
            lr=settings.learning_rate,
            betas=(settings.adam_beta1, settings.adam_beta2),
            eps=settings.adam_epsilon,
            weight_decay=settings.weight_decay,
            fused=True,
        )

    def logprobs(self, micro: MicroBatch, temperature: float) -> tuple[Tensor, Tensor]:
        """Log-probabilities_BT and entropy_BT. All processes must call this equally often, each with its own rows."""
        found: tuple[Tensor, Tensor] = self._scoring(micro, temperature)
        if not torch.is_grad_enabled():
            # FSDP keeps the outermost weights gathered for a backward pass. Without one, later steps would not change
            # them.
            self._scoring.reshard()  # type: ignore[operator]  # added by fully_shard
        return found

    def backward(self, loss: Tensor) -> None:
        """Accumulate the gradients of the sum of all processes' losses. FSDP averages, so each loss is multiplied by
        their number.
        """
        (loss * self._ranks.count).backward()

    def clear_gradients(self) -> None:
        """Forget what was accumulated."""
        self.optimizer.zero_grad()

    def step(self, learning_rate: float, max_grad_norm: float) -> float:
        """Clip by the norm over all shards, take a step, and copy the weights to the whole model. Returns the norm
        before clipping.

        Raises:
            NonFiniteLossError: the gradients are NaN or infinite; nothing was changed. All processes raise it.

        """
        for master in self.masters:  # as in MasterWeights, a missing gradient counts as 0
            if master.grad is None:
                master.grad = torch.zeros_like(master)
        norm = float(_whole(torch.nn.utils.clip_grad_norm_(self.masters, max_grad_norm)))
        if not torch.isfinite(torch.tensor(norm)):
            self.clear_gradients()
            raise NonFiniteLossError("the gradient norm is not finite; lower the learning rate or train in float32")
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        self.optimizer.step()
        self.clear_gradients()
        self.copy_to_model()
        return norm

    @torch.no_grad()
    def copy_to_model(self) -> None:
        """Gather the trained tensors, one after the other, into the whole model's storage."""
        for target, master in zip(self._targets, self.masters, strict=True):
            target.copy_(_whole(master.detach().to(target.dtype)))

    def copy(self) -> list[Tensor]:
        """A copy of this process's shards of the trained weights."""
        return [master.to_local().detach().clone() for master in self.masters]

    @contextmanager
    def instead(self, others: Sequence[Tensor]) -> Iterator[None]:
        """Use the shards ``others`` in place of the trained ones. At the end the trained values are back."""
        own = self.copy()
        self._put(others)
        try:
            yield
        finally:
            self._put(own)

    @torch.no_grad()
    def _put(self, shares: Sequence[Tensor]) -> None:
        for master, share in zip(self.masters, shares, strict=True):
            master.to_local().copy_(share)

    # Checkpoints hold whole tensors, so a run can go on with another number of processes

    def state(self) -> dict[str, Any]:
        """Masters and optimizer in the form of ``MasterWeights``: whole in the first process, empty tensors in the
        others.

        One tensor at a time is gathered.
        """
        optimizer = self.optimizer.state_dict()
        moments = {
            number: {name: self._gathered(value) for name, value in one.items()}
            for number, one in optimizer["state"].items()
        }
        return {
            "masters": [self._gathered(master) for master in self.masters],
            "optimizer": {**optimizer, "state": moments},
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from :meth:`state`. Only the first process needs to have it."""
        self._put(self.shares(state.get("masters")))
        moments = self._ranks.broadcast_object(_places(state))
        restored: dict[int, dict[str, Any]] = {}
        for number, (step, names) in moments.items():
            whole = state["optimizer"]["state"][number] if self._ranks.is_first else {}
            restored[number] = {"step": torch.tensor(step)}
            restored[number] |= {name: self._share(whole.get(name), self.masters[number]) for name in names}
        self.optimizer.load_state_dict({**self.optimizer.state_dict(), "state": restored})
        self.copy_to_model()

    def whole(self, shares: Sequence[Tensor]) -> list[Tensor]:
        """Gather shards, such as those of :meth:`copy`, to whole tensors in the first process."""
        return [
            self._gathered(
                DTensor.from_local(
                    share, self._mesh, master.placements, run_check=False, shape=master.shape, stride=master.stride()
                )
            )
            for share, master in zip(shares, self.masters, strict=True)
        ]

    def shares(self, tensors: Sequence[Tensor] | None) -> list[Tensor]:
        """The shards of this process, of whole tensors that the first process has."""
        wholes = tensors if self._ranks.is_first and tensors is not None else [None] * len(self.masters)
        return [self._share(one, master).to_local() for one, master in zip(wholes, self.masters, strict=True)]

    def _gathered(self, tensor: Tensor) -> Tensor:
        found = _whole(tensor.detach())
        return found.cpu() if self._ranks.is_first else found.new_empty(0)

    @torch.no_grad()
    def _share(self, whole: Tensor | None, like: Any) -> Any:
        full = torch.empty(like.shape, dtype=like.dtype, device=self._ranks.device)
        if whole is not None:
            full.copy_(whole)
        return distribute_tensor(self._ranks.broadcast(full), self._mesh, like.placements, src_data_rank=None)


def _places(state: dict[str, Any]) -> dict[int, tuple[float, list[str]]]:
    """Number of a parameter -> its number of steps, and the names of its moments."""
    stored = state.get("optimizer", {}).get("state", {})
    return {number: (float(one["step"]), [name for name in one if name != "step"]) for number, one in stored.items()}


def _whole(tensor: Tensor) -> Tensor:
    """Gather a sharded tensor. Every process must call this."""
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def _shard(whole: Any, mesh: DeviceMesh, device: torch.device) -> _Scoring:
    """A sharded copy of ``whole`` in float32, made layer by layer, so that no process holds a second whole copy."""
    from transformers.modeling_layers import GradientCheckpointingLayer  # noqa: PLC0415

    shapes = {
        id(one): nn.Parameter(
            torch.empty_like(one, device="meta", dtype=torch.promote_types(one.dtype, torch.float32)),
            requires_grad=one.requires_grad,
        )
        for one in whole.parameters()
    }
    scoring = _Scoring(copy.deepcopy(whole, shapes))
    computed = next(whole.parameters()).dtype
    narrow = MixedPrecisionPolicy(param_dtype=computed, reduce_dtype=torch.float32, cast_forward_inputs=False)
    policy = MixedPrecisionPolicy() if computed == torch.float32 else narrow
    for layer in list(scoring.modules()):
        if isinstance(layer, GradientCheckpointingLayer):
            fully_shard(layer, mesh=mesh, mp_policy=policy)
    fully_shard(scoring, mesh=mesh, mp_policy=policy)
    scoring.to_empty(device=device)
    with torch.no_grad():
        for share, full in zip(scoring.parameters(), whole.parameters(), strict=True):
            full = full.detach().to(share.dtype)  # noqa: PLW2901
            share.to_local().copy_(distribute_tensor(full, mesh, share.placements, src_data_rank=None).to_local())  # type: ignore[attr-defined]
        for ours, theirs in zip(scoring.buffers(), whole.buffers(), strict=True):
            ours.copy_(theirs)
    return scoring
