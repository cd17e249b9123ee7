"""What both trainers are given, and how they are timed: plain Python, since each runs in an environment of its own."""

import argparse
import importlib
import json
import resource
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PROJECT = ROOT / "collection" / "plain-style"
TEMPERATURE = 0.9
LEARNING_RATE = 1e-6
"""Small, so that both still have the same policy when the last step is timed."""
CLIP_HIGH = 0.28


def options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The work, as the driver passes it on."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--device", required=True)
    parser.add_argument("--dtype", required=True, choices=("float32", "bfloat16"))
    parser.add_argument("--clock", required=True, choices=("cpu", "wall"))
    for name in ("prompts", "samples", "tokens", "steps", "threads", "rows"):
        parser.add_argument(f"--{name}", type=int, required=True)
    return parser.parse_args(arguments)


def verifier() -> ModuleType:
    """The package's own code, in this process."""
    sys.path.insert(0, str(PROJECT / "src"))
    return importlib.import_module("lecture_plain_style")


def tasks() -> list[dict[str, Any]]:
    """The rows of the training split."""
    lines = (PROJECT / "src" / "lecture_plain_style" / "tasks.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line]


class Gate:
    """Lets one step pass at a time: the driver writes a line to let it begin, and reads what it took."""

    def __init__(self, device: str) -> None:
        self._cuda = device.startswith("cuda")
        self._begun = self._cpu = 0.0

    def begin(self) -> None:
        """Wait for the driver; then the clock starts."""
        if not sys.stdin.readline():
            sys.exit(0)
        self._synchronise()
        self._begun, self._cpu = time.perf_counter(), time.process_time()

    def end(self, tokens: float, **more: Any) -> None:
        """A step is done that wrote so many tokens."""
        self._synchronise()
        took, cpu = time.perf_counter() - self._begun, time.process_time() - self._cpu
        self.tell(seconds=took, cpu_seconds=cpu, tokens=tokens, peak_bytes=self._peak_bytes(), **more)

    @staticmethod
    def tell(**report: Any) -> None:
        """One line for the driver."""
        print("report " + json.dumps(report), flush=True)

    def forget_peak(self) -> None:
        """What loading the model took is no part of training."""
        if self._cuda:
            import torch  # noqa: PLC0415

            torch.cuda.reset_peak_memory_stats()
        else:
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")

    def _synchronise(self) -> None:
        if self._cuda:
            import torch  # noqa: PLC0415

            torch.cuda.synchronize()

    def _peak_bytes(self) -> int:
        """On an accelerator its memory, else the process's."""
        if self._cuda:
            import torch  # noqa: PLC0415

            return int(torch.cuda.max_memory_allocated())
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        found = [int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")]
        return found[0] if found else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
