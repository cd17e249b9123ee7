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
import site
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import IO, Any, Self

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TRL = "trl==1.16.0"
KEYS = {
    "tokens_per_second": "completion tokens a second, whole steps",
    "tokens_per_second_to_trl_ratio": "the same, times TRL's",
    "tokens_per_cpu_second_to_trl_ratio": "by CPU time: what else ran hardly changes it",
    "peak_memory_to_trl_ratio": "peak memory, to TRL's at its fastest setting",
    "peak_memory_to_smallest_trl_ratio": "the same, to TRL's at the setting that takes least",
    "decode_to_bandwidth_limit_ratio": "generation, to reading weights, keys and values once a token",
    "train_mfu": "the learner, to the fastest matrix product measured here",
    "product_floor_ratio": "the model's bare matrix products of a step, to what the step took",
    "most_tokens_per_cpu_second_to_trl_ratio": "what a trainer would reach that does these products and nothing else",
    "least_memory_to_trl_ratio": "weights, gradients and AdamW's state alone, to TRL's peak",
    "reward_wait_fraction": "of a step, waiting for verdicts",
}


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

    def options(self, model: Path, rows: int, dtype: str) -> list[str]:
        """For one of the scripts beside this one; ``rows`` go through TRL's model at once."""
        numbers = {"prompts": self.prompts, "samples": self.samples, "tokens": self.tokens, "steps": self.steps + 1,
                   "threads": self.threads, "rows": rows}  # fmt: skip
        told = [word for name, value in numbers.items() for word in (f"--{name}", str(value))]
        return ["--model", str(model), "--device", self.device, "--clock", self.clock, "--dtype", dtype, *told]


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
        told = {"model": words, "device": device, "dtype": work.dtype, "trl": TRL, "prompts": work.prompts,
                "samples": work.samples, "tokens": work.tokens, "threads": work.threads,
                "cpus": os.cpu_count()}  # fmt: skip
        turns = Turns(options.turns, told)
        measure(work, model, python, turns, until)
    if not turns.counted:
        sys.exit("error: no turn was counted in that time: the first one warms up")
    loads = [one["load_average"] for one in turns.counted]
    told |= {"steps": len(turns.counted), "load_average_least": min(loads), "load_average": max(loads)}
    report = {**figures(work, turns.found()), **told}
    print(json.dumps(report) if options.format == "json" else table(report))


def pick_device(name: str) -> str:
    """``auto``: a GPU where there is one."""
    import torch  # noqa: PLC0415

    return ("cuda" if torch.cuda.is_available() else "cpu") if name == "auto" else name


def pick_dtype(device: str) -> str:
    """What the trainer's setting ``auto`` takes here: bfloat16 on a GPU and on CPUs that are faster at it."""
    import torch  # noqa: PLC0415

    from trainer_bridge.models.devices import pick_dtype as pick  # noqa: PLC0415

    return str(pick("auto", torch.device(device), is_tiny=False)).removeprefix("torch.")


def environment(folder: Path) -> str:
    """The interpreter of an environment with TRL, which sees the packages that are installed here."""
    python, mark = folder / "bin" / "python", folder / "requirements.txt"
    here = [path for path in sys.path if path.endswith("site-packages")]
    wanted = "\n".join([TRL, *here])
    if not mark.is_file() or mark.read_text(encoding="utf-8") != wanted:
        print(f"installing {TRL} …", file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True)
        own = folder / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
        (own / "beside.pth").write_text("\n".join([*here, *site.getsitepackages()]), encoding="utf-8")
        done = subprocess.run([python, "-m", "pip", "install", "-q", TRL], check=False, stdout=sys.stderr)
        if done.returncode:
            sys.exit(f"error: pip could not install {TRL}")
        mark.write_text(wanted, encoding="utf-8")
    return str(python)


def find_model(folder: Path) -> tuple[Path, str]:
    """SmolLM2-135M where it can be had, else a model of its shape with random weights; and what it is."""
    import platformdirs  # noqa: PLC0415

    from trainer_bridge.errors import ModelError  # noqa: PLC0415
    from trainer_bridge.models.smollm2 import smollm2_folder  # noqa: PLC0415

    try:
        cache = platformdirs.user_cache_path("verihub")
        return smollm2_folder(cache, lambda text: print(text, file=sys.stderr)), "SmolLM2-135M"
    except ModelError as error:
        print(f"note: {error}", file=sys.stderr)
        return stand_in(folder / "model"), "stand-in of SmolLM2-135M's shape, random weights"


def stand_in(folder: Path, **sizes: int) -> Path:
    """A Llama of SmolLM2-135M's sizes, or of others, with the tiny model's tokenizer."""
    from transformers import LlamaConfig, LlamaForCausalLM  # noqa: PLC0415

    from trainer_bridge.models.tiny import tiny_tokenizer  # noqa: PLC0415

    tokenizer = tiny_tokenizer()
    shape = {"vocab_size": 49152, "hidden_size": 576, "intermediate_size": 1536, "num_hidden_layers": 30,
             "num_attention_heads": 9, "num_key_value_heads": 3, "max_position_embeddings": 2048}  # fmt: skip
    ids = {"bos_token_id": None, "eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id}
    LlamaForCausalLM(LlamaConfig(**{**shape, **sizes, **ids}, tie_word_embeddings=True)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


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


def measure(work: Work, model: Path, python: str, turns: Turns, until: float) -> None:
    """Let the trainers take steps in turn, and count all turns but the first, which warms up.

    No turn is begun that would end after ``until`` (of the monotonic clock) if it takes as long as the longest so far.
    """
    own, trl = [sys.executable, str(HERE / "with_verihub.py")], [python, str(HERE / "with_trl.py")]
    # All 512 rows of a GPU's step at once took more than the 140 GB of an H200.
    settings = {"trl": (min(work.rows, 16 * work.samples), work.dtype), "trl_by_group": (work.samples, work.dtype)}
    if work.device == "cpu":  # TRL computes in bfloat16 by autocast, which need not be its faster setting there
        settings = {"trl": (work.rows, "float32"), "trl_by_group": (work.samples, "float32"),
                    "trl_bfloat16": (work.rows, "bfloat16")}  # fmt: skip
    commands = {
        "ours": [*own, *work.options(model, work.rows, work.dtype)],
        **{name: [*trl, *work.options(model, rows, dtype)] for name, (rows, dtype) in settings.items()},
        "limits": [sys.executable, str(HERE / "device_limits.py"), *work.options(model, work.rows, work.dtype)],
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


def prompt_tokens(work: Work, metrics: Mapping[str, float], steps: int) -> float:
    """Of one row, on average over all ``steps`` steps so far, the first included."""
    return metrics["num_tokens"] / steps / work.rows - work.tokens


def figures(work: Work, found: Mapping[str, Any]) -> dict[str, Any]:
    """One flat object. The fastest of TRL's settings counts, for speed and for memory.

    A ratio to a limit of the device is null where it comes out above 1, and ``refused`` says why.
    """
    speed = {name: _rate(reports, "seconds") for name, reports in found["steps"].items()}
    by_cpu = {name: _rate(reports, "cpu_seconds") for name, reports in found["steps"].items()}
    peak = {name: max(one["peak_bytes"] for one in reports) for name, reports in found["steps"].items()}
    peers = [name for name in speed if name != "ours"]
    fastest = max(peers, key=lambda name: speed[name])
    ours = found["steps"]["ours"]
    metrics = [one["metrics"] for one in ours]
    wait = sum(one["time/reward"] for one in metrics) / sum(one["step_time"] for one in metrics)
    to_limits, refused = {}, {}
    for name, ratio in (("decode_to_bandwidth_limit_ratio", decode_ratio), ("train_mfu", train_mfu)):
        value = ratio(work, ours, found["model"], found["limits"])
        to_limits[name] = value if value <= 1 else None
        if value > 1:
            refused[name] = f"{value:.3g} is above 1: the limit was measured too low, or what is counted is too much"
    floor = product_floor(work, ours, found["limits"])
    ratios = {
        "product_floor_ratio": floor and floor / median(one["cpu_seconds"] for one in ours),
        "most_tokens_per_cpu_second_to_trl_ratio": floor
        and ours[0]["tokens"] / floor / max(by_cpu[name] for name in peers),
        "least_memory_to_trl_ratio": least_bytes(found["model"]) / peak[fastest],
        "tokens_per_second": speed["ours"],
        "tokens_per_second_to_trl_ratio": speed["ours"] / speed[fastest],
        "tokens_per_cpu_second_to_trl_ratio": by_cpu["ours"] / max(by_cpu[name] for name in peers),
        "peak_memory_to_trl_ratio": peak["ours"] / peak[fastest],
        "peak_memory_to_smallest_trl_ratio": peak["ours"] / min(peak[name] for name in peers),
        **to_limits,
        "reward_wait_fraction": wait,
    }
    plain = {f"{name}_tokens_per_second": value for name, value in speed.items()}
    plain |= {f"{name}_tokens_per_cpu_second": value for name, value in by_cpu.items()}
    plain |= {f"{name}_peak_bytes": value for name, value in peak.items()}
    plain |= {f"{name}_cpu_spread": _spread([one["cpu_seconds"] for one in reports])
              for name, reports in found["steps"].items()}  # fmt: skip
    plain |= {f"{name}_spread": _spread([one[name] for one in found["limits"]])
              for name in ("bytes_per_second", "flops_per_second")}  # fmt: skip
    return {**ratios, **plain, "refused": refused, "clock": work.clock, "trl_fastest": fastest}


def _rate(reports: Sequence[Mapping[str, Any]], seconds: str) -> float:
    return float(sum(one["tokens"] for one in reports) / sum(one[seconds] for one in reports))


def _spread(values: Sequence[float]) -> float:
    """The largest of several equal measurements, to the smallest: 1 where they agree."""
    return max(values) / min(values)


def _seconds(work: Work, report: Mapping[str, Any], method: str, metrics: Sequence[str]) -> float:
    """Of one step, by the clock that the limits are measured by: of a method, or the sum of the trainer's own times."""
    if work.clock == "cpu":
        return float(report["cpu"][method])
    return float(sum(report["metrics"][name] for name in metrics))


def decode_ratio(
    work: Work, steps: Sequence[Mapping[str, Any]], model: Mapping[str, float], limits: Sequence[Mapping[str, float]]
) -> float:
    """What reading must take at least, at the best speed measured, to what generation took in the median step.

    All rows are written together: each token reads the weights once for all of them, and every row's keys and values.
    """
    prompt = mean(one["prompt_tokens"] for one in steps)
    cached = work.rows * (prompt + work.tokens / 2) * model["cache_bytes_per_token"]
    least = work.tokens * (model["weight_bytes"] + cached) / max(one["bytes_per_second"] for one in limits)
    return float(least / median(_seconds(work, one, "collect", ["time/generate"]) for one in steps))


def train_mfu(
    work: Work, steps: Sequence[Mapping[str, Any]], model: Mapping[str, float], limits: Sequence[Mapping[str, float]]
) -> float:
    """Products that learning needs a second in the median step, to those of the fastest matrix product measured.

    Two a weight and token forwards and four back, attention not counted. A prompt is computed once for its samples,
    and rows that teach nothing go forwards only. What is computed twice to save memory counts once.
    """
    prompt = mean(one["prompt_tokens"] for one in steps)
    tokens = work.prompts * prompt + work.rows * work.tokens
    speeds = [
        tokens * model["parameters"] * (2 + 4 * one["metrics"]["num_trained"] / work.rows)
        / _seconds(work, one, "update", ["time/backward", "time/logprob"])
        for one in steps
    ]  # fmt: skip
    return float(median(speeds) / max(one["flops_per_second"] for one in limits))


def product_floor(
    work: Work, steps: Sequence[Mapping[str, Any]], limits: Sequence[Mapping[str, float]]
) -> float | None:
    """Seconds of a step's bare matrix products, by the fastest measured; None on a GPU, or where no turn has them.

    Prompts once for their samples, in sampling and in learning; all rows teach. Reading weights is inside.
    """
    floors = [one for one in limits if "train_seconds_per_token" in one]
    if work.clock != "cpu" or not floors:
        return None
    prompts = work.prompts * mean(one["prompt_tokens"] for one in steps)
    least = {name: min(one[name] for one in floors) for name in floors[0]}
    sampling = prompts * least["forward_seconds_per_token"] + work.tokens * least["decode_seconds_per_step"]
    return sampling + (prompts + work.rows * work.tokens) * least["train_seconds_per_token"]


def least_bytes(model: Mapping[str, float]) -> float:
    """What full training must keep: each weight in float32, its gradient and AdamW's two moments.

    Of bfloat16 weights the float32 ones are the model's and the 16 bits below them, and the gradient of a single
    micro-batch is bfloat16. No activation, no library and no interpreter is in it.
    """
    is_narrow = model["weight_bytes"] < 4 * model["parameters"]
    return (14 if is_narrow else 16) * model["parameters"]


def table(report: Mapping[str, Any]) -> str:
    """Markdown."""
    size = f"{report['prompts']} x {report['samples']} x {report['tokens']} tokens, {report['steps']} steps"
    head = (
        f"{report['model']} on {report['device']}, {report['threads']} thread(s) each, {report['dtype']}, {size}; "
        f"{report['trl']}; load average {report['load_average_least']:.1f} to {report['load_average']:.1f}\n"
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
