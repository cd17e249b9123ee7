"""Several processes of one run, connected by gloo over a file, as torchrun would connect them over a network.

They are forked from a server that has torch loaded already: starting two costs milliseconds instead of ten seconds.
"""

import multiprocessing
import pickle
import tempfile
import traceback
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist

from trainer_bridge.ranks import ProcessRanks, Ranks

_SECONDS = 600
_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["torch", "transformers", "torch.distributed.fsdp", "trainer_bridge.loop",
                                 "transformers.models.llama.modeling_llama", "peft", "tests.trainer_bridge.conftest"])  # fmt: skip


def run_in_processes(work: Callable[..., Any], count: int, *given: Any, seconds: float = _SECONDS) -> list[Any]:
    """Call ``work(ranks, *given)`` in ``count`` processes; what each returned, or the text of what it raised.

    A process that ends without a word gives its exit code.
    """
    with tempfile.TemporaryDirectory() as folder:
        ends = [_context.Pipe(duplex=False) for _ in range(count)]
        processes = [
            _context.Process(target=_begin, args=(work, number, count, folder, seconds, ends[number][1], given))
            for number in range(count)
        ]
        for process in processes:
            process.start()
        for _, sender in ends:
            sender.close()
        found: list[Any] = []
        for process, (receiver, _) in zip(processes, ends, strict=True):
            told: Any = None
            with suppress(EOFError):
                told = pickle.loads(receiver.recv_bytes())
            receiver.close()
            process.join(_SECONDS)
            found.append(told if told is not None else process.exitcode)
            process.close()
    return found


def _begin(  # noqa: PLR0917 -- what the parent hands over
    work: Any, number: int, count: int, folder: str, seconds: float, sender: Any, given: tuple[Any, ...]
) -> None:
    torch.set_num_threads(1)
    store = dist.FileStore(str(Path(folder) / "store"), count)
    limit = timedelta(seconds=_SECONDS)
    dist.init_process_group("gloo", store=store, rank=number, world_size=count, timeout=limit)
    dist.barrier()  # a short limit begins when all are there
    ranks: Ranks = ProcessRanks(torch.device("cpu"), seconds)
    try:
        told = work(ranks, *given)
    except BaseException as error:  # noqa: BLE001 -- the test reads it
        told = f"{type(error).__name__}: {error}"
        if not isinstance(error, Exception) or "Error: " not in told:
            traceback.print_exc()
    sender.send_bytes(pickle.dumps(told))  # plain: multiprocessing would share a tensor's memory with who has ended
    sender.close()
    with suppress(RuntimeError):
        dist.destroy_process_group()
