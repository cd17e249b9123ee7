"""Measures ``collection/math-verify`` in call groups of sixteen, for ``scripts/bench sandbox``.

The package is warmed up with its own audit cases. Its level is ``batch``, so each call group has one fork, as in a GRPO
step. The answers are distinct numbers and fractions in ``\boxed{}``, as a model writes them. On the audit's cases,
which were chosen to be hard, math-verify itself takes ten times as long.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from packaging.utils import parse_wheel_filename

from sandbox.backends import make_backend
from sandbox.checks.samples import Sample
from sandbox.host.scoring_stream import Judged
from sandbox.interface import Call, LockedWheel, Source
from sandbox.sandbox import Sandbox
from sandbox.settings import SandboxSettings
from schemas.manifest import Isolation
from schemas.names import digest_of

GROUP = 16
_FOLDER = Path(__file__).resolve().parents[3] / "collection/math-verify/src/lecture_math_verify"
_REQUIREMENT = "math-verify==0.9.0"
_ROUNDS = 3
_WRONG_EVERY = 5


async def measure_math_verify(backend_name: str = "docker") -> dict[str, float]:
    """Calls a second with every box busy, and the overhead beyond the author's own code; the best of three rounds.

    ``math_verify_batch16_calls_per_second``: 40 call groups submitted at once.
    ``batch_overhead_p99_ms``: one call at a time on one box, its round trip minus the milliseconds in the author's
    code, which are measured in the box. ``batch16_group_overhead_p99_ms``: the same for a call group of sixteen, from
    its submission to its last verdict.
    """
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="verihub-bench-") as folder:
        source = math_verify_source(Path(folder))
        async with _sandbox(backend_name) as sandbox:
            await sandbox.warm(source, sandbox.settings.boxes_per_package)
            rates = [await _rate(sandbox, source, usual_calls(40 * GROUP)) for _ in range(_ROUNDS)]
            figures["math_verify_batch16_calls_per_second"] = max(rates)
        async with _sandbox(backend_name, boxes=1) as sandbox:
            await sandbox.warm(source, 1)
            for name, size, count in (("batch", 1, 100), ("batch16_group", GROUP, 40)):
                rounds = [await _overheads_ms(sandbox, source, size, count) for _ in range(_ROUNDS)]
                figures[f"{name}_overhead_p50_ms"] = min(times[count // 2] for times in rounds)
                figures[f"{name}_overhead_p99_ms"] = min(times[int(count * 0.99)] for times in rounds)
    return figures


def math_verify_source(folder: Path) -> Source:
    """The package of the collection with its dependencies as locked wheels, fetched by pip into ``folder``."""
    sample = Sample(
        (_FOLDER / "__init__.py").read_text(),
        name="math-verify",
        isolation="batch",
        timeout_seconds=15,
        memory_mb=768,
        head='verifier = "PACKAGE:verify"\naudit = ["audit.jsonl"]',
        files={"audit.jsonl": (_FOLDER / "audit.jsonl").read_text()},
    )
    wheels = folder / "wheels"
    command = [
        sys.executable,
        "-I",
        "-m",
        "pip",
        "download",
        "-q",
        "--only-binary",
        ":all:",
        "-d",
        str(wheels),
        _REQUIREMENT,
    ]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return sample.source(folder, tuple(_locked(path) for path in sorted(wheels.glob("*.whl"))))


def usual_calls(count: int) -> list[Call]:
    """Distinct calls: three numbers for each fraction, and every fifth answer is wrong."""
    calls = []
    for number in range(1, count + 1):
        answer = f"\\frac{{{number}}}{{{number + 7}}}" if number % 4 == 0 else str(17 * number + 3)
        written = answer if number % _WRONG_EVERY else str(number)
        task = {"id": str(number), "prompt": "", "answer": answer, "info": {}, "tags": []}
        calls.append(Call(str(number), task, response=f"Adding up, the answer is $\\boxed{{{written}}}$."))
    return calls


def _locked(path: Path) -> LockedWheel:
    name, version, _, _ = parse_wheel_filename(path.name)
    return LockedWheel(str(name), str(version), digest_of(path.read_bytes()).removeprefix("sha256:"), path)


def _sandbox(backend_name: str, boxes: int | None = None) -> Sandbox:
    settings = SandboxSettings(trust_local_code=backend_name == "local", replay_fraction=0.0, batch_calls=GROUP)
    if boxes is not None:
        settings = settings.model_copy(update={"boxes_per_package": boxes})
    return Sandbox(make_backend(backend_name, settings), settings)


async def _rate(sandbox: Sandbox, source: Source, calls: list[Call]) -> float:
    started = time.perf_counter()
    judged = [one async for one in sandbox.judge(source, calls, isolation=Isolation.BATCH)]
    seconds = time.perf_counter() - started
    _check(judged, calls)
    return len(judged) / seconds


def _check(judged: list[Judged], calls: list[Call]) -> None:
    """Check that every call of :func:`usual_calls` has its right verdict."""
    assert len(judged) == len(calls)
    wrong = [one for one in judged if one.verdict.rewards != {"correct": float(int(one.id) % _WRONG_EVERY > 0)}]
    assert not wrong, wrong[0]


async def _overheads_ms(sandbox: Sandbox, source: Source, size: int, count: int) -> list[float]:
    """Sorted overheads of ``count`` call groups of ``size`` calls, one call group at a time."""
    calls, times = usual_calls(size * count), []
    for first in range(0, len(calls), size):
        group = calls[first : first + size]
        started = time.perf_counter()
        judged = [one async for one in sandbox.judge(source, group, isolation=Isolation.BATCH)]
        wall = (time.perf_counter() - started) * 1000
        _check(judged, group)
        times.append(wall - sum(one.milliseconds for one in judged))
    return sorted(times)
