"""The processes (ranks) of one run: how they share work and agree on values. Usually there is one."""

import re
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from itertools import pairwise
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor

from trainer_bridge.errors import OtherProcessError, SettingsError
from trainer_bridge.models.devices import pick_device

Value = TypeVar("Value")

_LOST = re.compile("gloo|nccl|connection (closed|reset|refused)|broken pipe|timed out|timeout", re.IGNORECASE)


class Ranks:
    """A run in one process, which does all the work. With several processes, all of them must call each method.

    Each process decides how a step continues from the same gathered samples. The methods that are named after those of
    ``torch.distributed`` do the same. ``broadcast`` is for values that may still differ: measured times, or sums that a
    GPU adds in varying order.
    """

    number = 0
    """The number of this process, from 0. The first one writes files and talks to the user and the hub."""
    count = 1
    device: torch.device | None = None
    """The device of this process; None: the one in the settings."""

    @property
    def is_first(self) -> bool:
        """Whether this process reports and writes for all."""
        return self.number == 0

    def owns(self, index: int) -> bool:
        """Whether this process plays the group with this number."""
        return index % self.count == self.number

    def share(self, costs: Sequence[float]) -> range:
        """Which of the indices 0 … n - 1 with these costs belong to this process: a contiguous range of about equal
        cost.
        """
        return contiguous_shares(costs, self.count)[self.number]

    def all_gather(self, own: Value) -> list[Value]:
        """The values of all processes, in their order."""
        return [own]

    def broadcast_object(self, own: Value) -> Value:
        """The value of the first process."""
        return own

    def broadcast(self, tensor: Tensor) -> Tensor:
        """The value of the first process."""
        return tensor

    def all_reduce(self, tensor: Tensor) -> Tensor:
        """The sum over all processes, in place."""
        return tensor

    def sum_by_name(self, values: Mapping[str, float]) -> dict[str, float]:
        """Sums by name over all processes. A missing name counts as 0."""
        totals: dict[str, float] = {}
        for table in self.all_gather(dict(values)):
            for name, value in table.items():
                totals[name] = totals.get(name, 0.0) + value
        return totals

    def any(self, flag: bool) -> bool:
        """Whether it is true for some process."""
        return any(self.all_gather(flag))

    @contextmanager
    def fail_together(self) -> Iterator[None]:
        """A context for work that may fail in one process. At its end all processes learn of a failure in any of them.

        Raises:
            OtherProcessError: it failed in another process, whose own error is raised there.

        """
        yield

    @contextmanager
    def watched(self) -> Iterator[None]:
        """A context for work in which processes wait for each other. If one is gone, the error says so.

        Raises:
            OtherProcessError: another process has ended, or has not answered within the limit.

        """
        yield

    def ignore_sigterm(self) -> None:
        """Ignore SIGTERM from now on. torchrun sends it when another process has ended, which would hide this one's own
        error.
        """

    def require_same(self, table: Mapping[str, Any]) -> None:
        """Check that these facts are the same in all processes.

        Raises:
            SettingsError: they differ; the message names the first of them.

        """


class ProcessRanks(Ranks):
    """Several processes, connected by torch.distributed."""

    def __init__(self, device: torch.device, seconds: float) -> None:
        self.number, self.count = dist.get_rank(), dist.get_world_size()
        self.device, self._seconds = device, seconds
        # Objects are sent over sockets, even if tensors use the GPUs' own links.
        self._objects = dist.new_group(backend="gloo", timeout=timedelta(seconds=seconds))

    def all_gather(self, own: Value) -> list[Value]:
        found: list[Any] = [None] * self.count
        with self.watched():
            dist.all_gather_object(found, own, group=self._objects)
        return found

    def broadcast_object(self, own: Value) -> Value:
        told = [own if self.is_first else None]
        with self.watched():
            dist.broadcast_object_list(told, src=0, group=self._objects)
        return told[0]  # type: ignore[return-value] # the first process has set it

    def broadcast(self, tensor: Tensor) -> Tensor:
        told = (tensor.byte() if tensor.dtype == torch.bool else tensor).contiguous()  # gloo cannot send booleans
        with self.watched():
            dist.broadcast(told, src=0)
        return told.to(tensor.dtype)

    def all_reduce(self, tensor: Tensor) -> Tensor:
        with self.watched():
            dist.all_reduce(tensor)
        return tensor

    @contextmanager
    def fail_together(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # told to all, for the others would wait in their next collective operation
            self.all_gather(f"{type(error).__name__}: {error}")
            raise
        failed = {number: said for number, said in enumerate(self.all_gather("")) if said}
        if failed:
            number, said = next(iter(failed.items()))
            raise OtherProcessError(f"process {number} of {self.count} failed: {said}")

    @contextmanager
    def watched(self) -> Iterator[None]:
        try:
            yield
        except RuntimeError as error:
            if not isinstance(error, dist.DistError) and not _LOST.search(str(error)):
                raise
            raise OtherProcessError(
                f"process {self.number} of {self.count} has lost another one: it has ended, or has not answered for "
                f"{self._seconds:.0f} s (rank_timeout). Its own message says why; the newest checkpoint is complete"
            ) from error

    def ignore_sigterm(self) -> None:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, signal.SIG_IGN)

    def require_same(self, table: Mapping[str, Any]) -> None:
        tables = self.all_gather(dict(table))
        for number, other in enumerate(tables):
            for name, value in tables[0].items():
                if other.get(name) != value:
                    raise SettingsError(
                        f"all processes of a run must be started alike: {name} is {value!r} in process 0 and "
                        f"{other.get(name)!r} in process {number}"
                    )


@contextmanager
def open_ranks(device: str, *, seconds: float, several: bool) -> Iterator[Ranks]:
    """A context that connects the processes which torchrun has started. ``several`` false: there is only one.

    ``device`` is the run's setting. With GPUs, each process of a machine takes one. A process gives up after it has
    waited ``seconds`` for the others.

    Raises:
        SettingsError: there are more processes on this machine than GPUs, or a single device is named for all.
        OtherProcessError: the others could not be reached.

    """
    if not several:
        yield Ranks()
        return
    own = _device_of(device, dist.get_node_local_rank(0))
    backend = "cpu:gloo,cuda:nccl" if own.type == "cuda" else "gloo"
    try:
        dist.init_process_group(backend, timeout=timedelta(seconds=seconds))
    except (RuntimeError, ValueError) as error:
        raise OtherProcessError(f"the processes of this run could not be connected: {error}") from error
    try:
        yield ProcessRanks(own, seconds)
    finally:
        dist.destroy_process_group()


def _device_of(name: str, place: int) -> torch.device:
    """The device of the process with local number ``place``."""
    device = pick_device(name)
    if device.type == "cpu":
        return device
    if str(device) != "cuda":
        raise SettingsError(f"device {name!r} with several processes: leave it out, and each takes a GPU of its own")
    if place >= torch.cuda.device_count():
        raise SettingsError(
            f"process {place} of this machine has no GPU, for it has {torch.cuda.device_count()}: "
            "torchrun --nproc-per-node takes at most that number"
        )
    torch.cuda.set_device(place)
    return torch.device("cuda", place)


def contiguous_shares(costs: Sequence[float], count: int) -> list[range]:
    """Cut indices 0 … n - 1 into ``count`` contiguous ranges of about equal cost. Some are empty if there are few
    indices.
    """
    total, spent, cuts = sum(costs), 0.0, [0]
    for place, cost in enumerate(costs):
        # An index belongs to the share that contains the middle of its cost interval.
        while len(cuts) < count and spent + cost / 2 >= total * len(cuts) / count:
            cuts.append(place)
        spent += cost
    cuts += [len(costs)] * (count + 1 - len(cuts))
    return [range(first, last) for first, last in pairwise(cuts)]
