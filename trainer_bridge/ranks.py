"""The processes of one run (ranks): which work belongs to which process, and how they agree. Usually there is one."""

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
    """A run in one process, which does all the work itself. With several processes, all of them have to call each
    method.

    Whatever decides how a step goes on is computed by every process from the same gathered samples. ``first_says`` and
    ``agree`` are for what might still differ: a measured time, or sums that a GPU adds in another order each time.
    """

    number = 0
    """Of this process, from 0. The first writes files and speaks with the user and the hub."""
    count = 1
    device: torch.device | None = None
    """The device that this process computes on; None: as the settings say."""

    @property
    def is_first(self) -> bool:
        """Whether this process reports and writes for all."""
        return self.number == 0

    def owns(self, index: int) -> bool:
        """Whether this process plays the group with this number."""
        return index % self.count == self.number

    def share(self, costs: Sequence[float]) -> range:
        """Which of the places 0 … n - 1, each of that cost, are this process's: neighbours, about equal in cost."""
        return contiguous_shares(costs, self.count)[self.number]

    def gather(self, own: Value) -> list[Value]:
        """What every process has, in their order."""
        return [own]

    def first_says(self, own: Value) -> Value:
        """What the first process has."""
        return own

    def agree(self, tensor: Tensor) -> Tensor:
        """What the first process has."""
        return tensor

    def add(self, tensor: Tensor) -> Tensor:
        """The sum over all processes, in place."""
        return tensor

    def add_up(self, values: Mapping[str, float]) -> dict[str, float]:
        """Sums by name over all processes. A name that one does not have counts 0 there."""
        totals: dict[str, float] = {}
        for table in self.gather(dict(values)):
            for name, value in table.items():
                totals[name] = totals.get(name, 0.0) + value
        return totals

    def any(self, flag: bool) -> bool:
        """Whether it is true for some process."""
        return any(self.gather(flag))

    @contextmanager
    def fail_together(self) -> Iterator[None]:
        """Run work of one process that may fail. At its end, all processes hear of a failure in any of them.

        Raises:
            OtherProcessError: it failed in another process, whose own error is raised there.

        """
        yield

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Run work in which processes wait for each other. An error because one of them is gone says so in words.

        Raises:
            OtherProcessError: another process has ended, or has not answered within the limit.

        """
        yield

    def ignore_sigterm(self) -> None:
        """Ignore SIGTERM from now on: torchrun sends it when another process has ended, which would hide this one's own
        error.
        """

    def require_same(self, table: Mapping[str, Any]) -> None:
        """Compare facts by which all processes must agree.

        Raises:
            SettingsError: they differ; the message names the first of them.

        """


class ProcessRanks(Ranks):
    """Several processes, connected by torch.distributed."""

    def __init__(self, device: torch.device, seconds: float) -> None:
        self.number, self.count = dist.get_rank(), dist.get_world_size()
        self.device, self._seconds = device, seconds
        # Objects go over sockets also where tensors go over the GPUs' own links.
        self._objects = dist.new_group(backend="gloo", timeout=timedelta(seconds=seconds))

    def gather(self, own: Value) -> list[Value]:
        found: list[Any] = [None] * self.count
        with self.watched():
            dist.all_gather_object(found, own, group=self._objects)
        return found

    def first_says(self, own: Value) -> Value:
        told = [own if self.is_first else None]
        with self.watched():
            dist.broadcast_object_list(told, src=0, group=self._objects)
        return told[0]  # type: ignore[return-value]  # the first has put its own there

    def agree(self, tensor: Tensor) -> Tensor:
        told = (tensor.byte() if tensor.dtype == torch.bool else tensor).contiguous()  # gloo sends no truth values
        with self.watched():
            dist.broadcast(told, src=0)
        return told.to(tensor.dtype)

    def add(self, tensor: Tensor) -> Tensor:
        with self.watched():
            dist.all_reduce(tensor)
        return tensor

    @contextmanager
    def fail_together(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            self.gather(f"{type(error).__name__}: {error}")
            raise
        failed = {number: said for number, said in enumerate(self.gather("")) if said}
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
                f"{self._seconds:.0f} s (rank_timeout). Its own last words say why; the newest checkpoint is whole"
            ) from error

    def ignore_sigterm(self) -> None:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, signal.SIG_IGN)

    def require_same(self, table: Mapping[str, Any]) -> None:
        tables = self.gather(dict(table))
        for number, other in enumerate(tables):
            for name, value in tables[0].items():
                if other.get(name) != value:
                    raise SettingsError(
                        f"all processes of a run must be started alike: {name} is {value!r} in process 0 and "
                        f"{other.get(name)!r} in process {number}"
                    )


@contextmanager
def open_ranks(device: str, *, seconds: float, several: bool) -> Iterator[Ranks]:
    """The processes that torchrun has started, connected for as long as the context lasts; ``several`` false: only one.

    ``device`` is the run's setting; on GPUs each process of a machine takes one. A process that waits for the others
    for more than ``seconds`` gives up.

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
    """The device of process ``place`` of this machine."""
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
    """Cut places 0 … n - 1 into ``count`` runs of about equal cost, in order; some are empty where places are few."""
    total, spent, cuts = sum(costs), 0.0, [0]
    for place, cost in enumerate(costs):
        # A place belongs to the share that its middle falls into.
        while len(cuts) < count and spent + cost / 2 >= total * len(cuts) / count:
            cuts.append(place)
        spent += cost
    cuts += [len(costs)] * (count + 1 - len(cuts))
    return [range(first, last) for first, last in pairwise(cuts)]
