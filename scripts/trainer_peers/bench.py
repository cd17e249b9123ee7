"""The bundled trainer beside TRL on the same work, in one run: ``scripts/bench trainer``.

Both train SmolLM2-135M on the tasks and rewards of lecture/plain-style, as many prompts, samples and tokens a step; no
answer ends early. They take steps in turn, so that whatever else the machine does meets both. The first step of each is
not counted. TRL lives in an environment of its own (``--environments FOLDER`` keeps it for the next run), beside the
torch and transformers that are installed here. It runs at several settings: all samples through the model at once, one
group at a time, and on a CPU in two number types; the fastest counts, for speed and for memory.
Where the model cannot be fetched, one of the same shape with random weights
stands in, and the report says so.

A whole run takes ten minutes and more. In pieces: ``--prepare`` once, then ``--seconds 330 --turns FILE`` as often as
the machine is idle for that long. The file keeps what was counted, turn by turn, and all of it goes into the report.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, Self

from given import TRL, environment, find_model, pick_device, pick_dtype, pick_project
from ratios import KEYS, figures, prompt_tokens
from work import Work

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def options_of(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="scripts/bench trainer", description=__doc__)
    parser.add_argument("--format", default="human", choices=("human", "json"))
    parser.add_argument("--environments", type=Path, help="where TRL's environment is made and kept")
    parser.add_argument("--trl-python", help="an interpreter that has TRL already; nothing is installed then")
    parser.add_argument("--model", help="a folder in transformers' format (default: SmolLM2-135M)")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--threads", type=int, default=1, help="CPU threads of each")
    parser.add_argument("--prompts", type=int, help="a step (default: 4; 64 on a GPU)")
    parser.add_argument("--samples", type=int, default=8, help="a prompt")
    parser.add_argument("--tokens", type=int, help="a sample (default: 24; 256 on a GPU)")
    parser.add_argument("--steps", type=int, default=3, help="steps that are counted")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no turn that might end later")
    parser.add_argument("--turns", type=Path, help="a file that keeps counted turns; those of the same work count too")
    parser.add_argument(
        "--prepare", action="store_true", help="only install TRL into --environments and fetch the model"
    )
    options = parser.parse_args(arguments)
    if options.prepare and not options.environments:
        parser.error("--prepare keeps TRL's environment: say where, with --environments FOLDER")
    return options


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    options = options_of(arguments)
    device = pick_device(options.device)
    on_gpu = device.startswith("cuda")
    work = Work(
        prompts=options.prompts or (64 if on_gpu else 4),
        samples=options.samples,
        tokens=options.tokens or (256 if on_gpu else 24),
        steps=options.steps,
        threads=options.threads,
        device=device,
        dtype=pick_dtype(device),
    )
    until = time.monotonic() + options.seconds
    with tempfile.TemporaryDirectory(prefix="verihub-trl-") as name:
        python = options.trl_python or environment((options.environments or Path(name)) / "trl")
        model, words = Path(options.model or ""), options.model
        if not options.model:
            model, words = find_model(Path(name))
        if options.prepare:
            return
        project, rewards = pick_project(Path(name) / "project", words)
        told = {"model": words, "rewards": rewards, "device": device, "dtype": work.dtype, "trl": TRL,
                "prompts": work.prompts, "samples": work.samples, "tokens": work.tokens, "threads": work.threads,
                "cpus": os.cpu_count()}  # fmt: skip
        turns = Turns(options.turns, told)
        measure(work, (model, project), python, turns, until)
    if not turns.counted:
        sys.exit("error: no turn was counted in that time: the first one warms up")
    loads = [one["load_average"] for one in turns.counted]
    told |= {"steps": len(turns.counted), "load_average_least": min(loads), "load_average": max(loads)}
    report = {**figures(work, turns.found()), **told}
    print(json.dumps(report) if options.format == "json" else table(report))


class Trainer:
    """One of the trainers, waiting in a process of its own for the next step. A context manager."""

    def __init__(self, name: str, command: Sequence[str]) -> None:
        self.name = name
        self.told: dict[str, Any] = {}
        """What it said beside its steps."""
        self._errors: IO[str] = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115 -- closed with it
        environ = {**os.environ, "OMP_NUM_THREADS": command[command.index("--threads") + 1], "PYTHONPATH": str(ROOT)}
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, text=True, env=environ
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        self._errors.close()

    def step(self) -> dict[str, Any]:
        """Let it take one step; what that took."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            if line.startswith("report "):
                report: dict[str, Any] = json.loads(line.removeprefix("report "))
                if "seconds" in report:
                    return report
                self.told |= report
        self._errors.seek(0)
        sys.exit(f"error: {self.name} has ended:\n{self._errors.read()[-3000:]}")


class Turns:
    """What was counted: in each turn one step of each trainer, and the device's limits. A file may keep it.

    Raises SystemExit where the file holds turns of other work.
    """

    def __init__(self, path: Path | None, told: Mapping[str, Any]) -> None:
        self._path, self._told = path, dict(told)
        self.counted: list[dict[str, Any]] = []
        if path is not None and path.exists():
            kept = json.loads(path.read_text(encoding="utf-8"))
            if kept["of"] != self._told:
                sys.exit(f"error: {path} holds turns of other work: {kept['of']}, and this is {self._told}")
            self.counted = kept["turns"]

    def add(self, turn: Mapping[str, Any]) -> None:
        """Count one more."""
        self.counted.append({**turn, "load_average": os.getloadavg()[0]})
        if self._path is not None:
            scratch = self._path.with_suffix(".part")
            scratch.write_text(json.dumps({"of": self._told, "turns": self.counted}), encoding="utf-8")
            scratch.replace(self._path)

    def found(self) -> dict[str, Any]:
        """By trainer, as :func:`figures` reads them."""
        first = self.counted[0]
        names = [name for name in first if name not in ("model", "limits", "load_average")]
        steps = {name: [one[name] for one in self.counted] for name in names}
        return {"steps": steps, "limits": [one["limits"] for one in self.counted], "model": first["model"]}


def measure(work: Work, given: tuple[Path, Path], python: str, turns: Turns, until: float) -> None:
    """Let the trainers take steps in turn, and count all turns but the first, which warms up.

    No turn is begun that would end after ``until`` (of the monotonic clock) if it takes as long as the longest so far.
    ``given``: the model's and the project's folders.
    """
    own, trl = [sys.executable, str(HERE / "with_verihub.py")], [python, str(HERE / "with_trl.py")]
    # All 512 rows of a GPU's step at once took more than the 140 GB of an H200.
    settings = {"trl": (min(work.rows, 16 * work.samples), work.dtype), "trl_by_group": (work.samples, work.dtype)}
    if work.device == "cpu":  # TRL computes in bfloat16 by autocast, which need not be its faster setting there
        settings = {"trl": (work.rows, "float32"), "trl_by_group": (work.samples, "float32"),
                    "trl_bfloat16": (work.rows, "bfloat16")}  # fmt: skip
    commands = {
        "ours": [*own, *work.options(*given, work.rows, work.dtype)],
        **{name: [*trl, *work.options(*given, rows, dtype)] for name, (rows, dtype) in settings.items()},
        "limits": [sys.executable, str(HERE / "device_limits.py"), *work.options(*given, work.rows, work.dtype)],
    }
    longest = 0.0
    with ExitStack() as stack:
        trainers = [stack.enter_context(Trainer(name, command)) for name, command in commands.items()]
        for number in range(work.steps + 1):
            began = time.monotonic()
            if began + longest > until:
                print(f"step {number} would end too late: {number - 1} counted", file=sys.stderr)
                break
            turn: dict[str, Any] = {}
            for trainer in trainers:
                turn[trainer.name] = trainer.step()
                print(f"step {number}: {trainer.name} {turn[trainer.name]['seconds']:.1f} s", file=sys.stderr)
            longest = max(longest, time.monotonic() - began)
            if number:
                turn["ours"]["prompt_tokens"] = prompt_tokens(work, turn["ours"]["metrics"], number + 1)
                turns.add({**turn, "limits": turn["limits"]["limits"], "model": trainers[0].told["model"]})


def table(report: Mapping[str, Any]) -> str:
    """Markdown."""
    size = f"{report['prompts']} x {report['samples']} x {report['tokens']} tokens, {report['steps']} steps"
    head = (
        f"{report['model']} on {report['device']}, {report['threads']} thread(s) each, {report['dtype']}, {size}; "
        f"rewards: {report['rewards']}; {report['trl']}; "
        f"load average {report['load_average_least']:.1f} to {report['load_average']:.1f}\n"
    )
    lines = [
        head,
        "| figure | value | what it is |",
        "|---|---:|---|",
    ]
    lines += [f"| `{name}` | {_shown(report[name])} | {words} |" for name, words in KEYS.items()]
    return "\n".join([*lines, *(f"\nrefused: `{name}`: {why}" for name, why in report["refused"].items())])


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"


if __name__ == "__main__":
    main()
