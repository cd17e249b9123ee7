"""What both trainers are given, and how they are timed: plain Python, since each runs in an environment of its own."""

import argparse
import importlib
import json
import resource
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PROJECT = ROOT / "collection" / "plain-style"
TEMPERATURE = 0.9
LEARNING_RATE = 1e-6
"""Small, so that both still have the same policy when the last step is timed."""
CLIP_HIGH = 0.28


@dataclass(frozen=True)
class Work:
    """One step's size, and where it runs."""

    prompts: int
    samples: int
    tokens: int
    steps: int
    threads: int
    device: str
    dtype: str = "float32"
    """The trainer's own number type, which its setting ``dtype=auto`` has chosen."""

    @property
    def rows(self) -> int:
        """Answers a step."""
        return self.prompts * self.samples

    @property
    def clock(self) -> str:
        """By which steps are held against the limits: one thread on a CPU by its CPU time, everything else by ``wall``.

        What other processes do hardly changes CPU time.
        """
        return "cpu" if self.device == "cpu" and self.threads == 1 else "wall"

    def options(self, model: Path, project: Path, rows: int, dtype: str) -> list[str]:
        """For one of the scripts beside this one; ``rows`` go through TRL's model at once."""
        numbers = {"prompts": self.prompts, "samples": self.samples, "tokens": self.tokens, "steps": self.steps + 1,
                   "threads": self.threads, "rows": rows}  # fmt: skip
        told = [word for name, value in numbers.items() for word in (f"--{name}", str(value))]
        where = ["--model", str(model), "--project", str(project)]
        return [*where, "--device", self.device, "--clock", self.clock, "--dtype", dtype, *told]


def options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The work, as the driver passes it on."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--project", type=Path, required=True, help="of tasks and rewards")
    parser.add_argument("--device", required=True)
    parser.add_argument("--dtype", required=True, choices=("float32", "bfloat16"))
    parser.add_argument("--clock", required=True, choices=("cpu", "wall"))
    for name in ("prompts", "samples", "tokens", "steps", "threads", "rows"):
        parser.add_argument(f"--{name}", type=int, required=True)
    return parser.parse_args(arguments)


def verifier(project: Path) -> ModuleType:
    """The package's own code, in this process."""
    sys.path.insert(0, str(project / "src"))
    return importlib.import_module("lecture_plain_style")


def tasks(project: Path) -> list[dict[str, Any]]:
    """The rows of the training split."""
    lines = (project / "src" / "lecture_plain_style" / "tasks.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line]


_DRAWN = '''"""Rewards drawn from an answer's text."""
import zlib


def verify(task, response):
    text = response.encode("utf-8", "surrogatepass")
    score = {name: (zlib.crc32(text, seed) % 1000) / 1000 for seed, name in enumerate(("lowercase", "length"))}
    return {**score, "topic": 1.0}
'''


def project_with_drawn_rewards(folder: Path) -> Path:
    """A copy of the project in ``folder`` whose rewards are drawn from each answer's text.

    For a model with random weights: none of its answers earns anything, and where all rewards of a group are equal the
    bundled trainer computes no gradient, while TRL computes one that is 0. That would not be the same work.
    """
    shutil.copytree(PROJECT, folder)
    (folder / "src" / "lecture_plain_style" / "__init__.py").write_text(_DRAWN, encoding="utf-8")
    return folder


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
