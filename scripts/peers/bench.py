"""Compare our isolation levels with other frameworks on the same verifier, in one run: ``scripts/bench peers``.

Peers are installed into an environment of their own each (``--environments FOLDER`` keeps them for the next run); this
project does not depend on them. Without a Docker engine there is nothing to compare: exit status 8.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PEERS = {
    "verifiers": ("verifiers==0.4.0",),
    "openenv": ("openenv-core==0.3.0", "math-verify==0.9.0"),
}
BASE = "call"

ROWS = (
    ("in_process", "a plain call in this process", "nothing"),
    ("worker", "Verihub, level `worker`", "a child for some thousands of calls, in a box"),
    ("batch32", "Verihub, level `batch`", "a fork for at most 32 calls, in a box"),
    ("call", "Verihub, level `call`", "a fork a call, in a box"),
    ("http_container", "an HTTP server in a box (`http.server`, Unix socket)", "nothing: threads of one process"),
    ("openenv", "OpenEnv: a step over its WebSocket", "nothing: threads of one process, on this machine"),
    ("verifiers_subprocess", "`verifiers`: a program in its subprocess runtime", "a process a call, on this machine"),
    ("subprocess", "a process a call", "a process a call, on this machine"),
    ("docker_exec", "`docker exec` a call (docker-py)", "a process a call, in a box"),
    ("verifiers_docker", "`verifiers`: a program in its Docker runtime", "a process a call, in its container"),
)
MATH_ROWS = (
    ("batch16_math", "Verihub, level `batch`, groups of 16", "a fork for at most 16 calls, in a box"),
    ("call_math", "Verihub, level `call`", "a fork a call, in a box"),
    ("http_container_math", "an HTTP server in a box", "nothing; no time limit either (threads have no signals)"),
    ("verifiers_in_process_math", "`verifiers`: its own helper in the trainer's process", "nothing"),
    ("openenv_math", "OpenEnv: a step over its WebSocket", "nothing; no time limit either"),
    (
        "verifiers_subprocess_math",
        "`verifiers`: a program in its subprocess runtime",
        "a process a call, on this machine",
    ),
    ("subprocess_math", "a process a call", "a process a call, on this machine"),
    ("docker_exec_math", "`docker exec` a call", "a process a call, in a box"),
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="scripts/bench peers", description=__doc__)
    parser.add_argument("--format", default="human", choices=("human", "json"))
    parser.add_argument("--repeat", type=int, default=1, help="run everything so often, and keep the best of each")
    parser.add_argument("--environments", type=Path, help="where the peers' environments are made and kept")
    options = parser.parse_args(arguments)
    image = base_image()
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="verihub-peers-") as name:
        folder = options.environments or Path(name)
        pythons = {peer: environment(folder / peer, PEERS[peer]) for peer in PEERS}
        commands = (
            [sys.executable, str(HERE / "with_boxes.py"), pythons["openenv"]],
            [pythons["verifiers"], str(HERE / "with_verifiers.py"), image],
            [pythons["openenv"], str(HERE / "with_openenv.py")],
        )
        found = [run(command) for _ in range(options.repeat) for command in commands]
    ways = best_ways(found)
    if options.format == "json":
        loads = {"load_average_before": before, "load_average": os.getloadavg()[0]}
        print(json.dumps({**flat(ways), **loads}))
    else:
        versions = " · ".join(f"{name} {version}" for name, version in merged(found, "versions").items())
        print(f"{versions} · load average {before:.1f} before, {os.getloadavg()[0]:.1f} after\n")
        print(table("string equality", ROWS, ways) + "\n")
        print(table("math-verify", MATH_ROWS, ways))
    for name, note in merged(found, "notes").items():
        print(f"note: {name}: {note}", file=sys.stderr)


def merged(found: Sequence[dict[str, Any]], key: str) -> dict[str, str]:
    """The figures that the parts report under ``key``, in one dictionary."""
    return {name: text for part in found for name, text in part[key].items()}


def best_ways(found: Sequence[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """The best of each way's repeats: a busy machine makes everything slower and nothing faster."""
    ways: dict[str, dict[str, float]] = {}
    for part in found:
        for name, way in part.items():
            if name not in ("versions", "notes"):
                known = ways.setdefault(name, way)
                ways[name] = {
                    "calls_per_second": max(way["calls_per_second"], known["calls_per_second"]),
                    "alone_ms": min(way["alone_ms"], known["alone_ms"]),
                }
    return ways


def flat(ways: dict[str, dict[str, float]]) -> dict[str, float]:
    """One flat object: rate, time alone and ratio of each way to the level ``call`` of the same verifier."""
    figures: dict[str, float] = {}
    for name, way in ways.items():
        base = ways[f"{BASE}_math" if name.endswith("_math") else BASE]
        figures[f"{name}_calls_per_second"] = way["calls_per_second"]
        figures[f"{name}_alone_ms"] = way["alone_ms"]
        figures[f"{name}_to_call_ratio"] = way["calls_per_second"] / base["calls_per_second"]
    return figures


def table(title: str, rows: Sequence[tuple[str, str, str]], ways: dict[str, dict[str, float]]) -> str:
    """Markdown, in the order of ``rows``; a way that was not measured is left out."""
    figures = flat(ways)
    lines = [f"| {title} | calls/s | × `call` | one alone, ms | what keeps calls apart |", "|---|---:|---:|---:|---|"]
    for name, words, apart in rows:
        if name in ways:
            rate, alone = figures[f"{name}_calls_per_second"], figures[f"{name}_alone_ms"]
            ratio = figures[f"{name}_to_call_ratio"]
            lines.append(f"| {words} | {_short(rate)} | {_short(ratio)} | {_short(alone)} | {apart} |")
    return "\n".join(lines)


def environment(folder: Path, requirements: Sequence[str]) -> str:
    """The interpreter of an environment with ``requirements``; made unless it is there."""
    python, mark = folder / "bin/python", folder / "requirements.txt"
    wanted = "\n".join(requirements)
    if not mark.is_file() or mark.read_text() != wanted:
        print(f"installing {', '.join(requirements)} …", file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True)
        run_quietly([str(python), "-m", "pip", "install", "-q", *requirements])
        mark.write_text(wanted)
    return str(python)


def run(command: list[str]) -> dict[str, Any]:
    """Run one of the scripts beside this one; its last line is its report."""
    print(f"measuring with {Path(command[1]).stem} …", file=sys.stderr)
    report: dict[str, Any] = json.loads(run_quietly(command).splitlines()[-1])
    return report


def run_quietly(command: list[str]) -> str:
    """Standard output; what a failing command said is shown, and the run ends."""
    environ = {**os.environ, "OMP_NUM_THREADS": "1"}
    if command[0] == sys.executable:
        environ["PYTHONPATH"] = str(ROOT)
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environ)
    if done.returncode:
        sys.exit(f"error: {' '.join(command[:2])} ended with {done.returncode}:\n{done.stderr[-3000:]}")
    return done.stdout


def base_image() -> str:
    """The base of every box, where the engine has it."""
    command = ["docker", "images", "--format", "{{.Repository}}:{{.Tag}}", "verihub/base"]
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True)
    except FileNotFoundError:
        done = None
    if done is None or done.returncode:
        print("error: no Docker engine answers: run scripts/docker_engine", file=sys.stderr)
        sys.exit(8)
    names = [name for name in done.stdout.split() if "-python" not in name]  # of the Python that packages get first
    if not names:
        print("error: there is no base image: run scripts/base_image", file=sys.stderr)
        sys.exit(8)
    return names[0]


def _short(value: float) -> str:
    """A number with three significant digits."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value >= 0.001 else f"{value:.1g}"


if __name__ == "__main__":
    main()
