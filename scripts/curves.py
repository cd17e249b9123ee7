"""Learning curves with several seeds: ``scripts/curves NAME`` trains, and writes numbers and plot to ``docs/curves``.

A run that ``--runs FOLDER`` holds already is not trained again, so a curve that was broken off goes on with the seeds
that are missing. The packages are the collection's and those of ``scripts/curve_tasks``; they run in processes of this
machine without a container, since their code is this repository's own.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from curve_plot import plot
from curve_warm_ups import (
    SECRETS,
    write_calculator,
    write_python_functions,
    write_short_wordle,
    write_wordle,
    write_wordle_openings,
)

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs" / "curves"
WARM_UPS = {
    "verihub-runs/curves/wordle/games.jsonl": write_wordle,
    "verihub-runs/curves/wordle-opening/games.jsonl": write_wordle_openings,
    "verihub-runs/curves/short-wordle/games.jsonl": write_short_wordle,
    "verihub-runs/curves/calculator/calls.jsonl": write_calculator,
    "verihub-runs/curves/python-functions/programs.jsonl": write_python_functions,
}
"""Files of conversations, and what writes each."""
WORDLE_GAMES, WORDLE_OPENINGS, SHORT_WORDLE_GAMES, CALCULATOR_CALLS, PROGRAMS = WARM_UPS
MOST_BYTES = 30_000
DIGITS = {"targets": ("scripts/curve_tasks/digits",), "model": "tiny", "prompts_per_step": 4,
          "num_generations": 8, "max_completion_length": 12, "learning_rate": 1e-3, "temperature": 1.0, "steps": 60,
          "eval_tasks": 8}  # fmt: skip


@dataclass(frozen=True)
class Curve:
    """``variants``: by name, what each changes of ``settings``. ``metrics``: what is drawn, a panel each.

    ``begins_with``: what a supervised run changes of ``settings``. It is trained once, and all seeds begin with its
    model.
    """

    what: str
    settings: Mapping[str, Any]
    metrics: tuple[str, ...]
    variants: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: {"": {}})
    begins_with: Mapping[str, Any] = field(default_factory=dict)


def bonus(coefficient: float) -> dict[str, Any]:
    """An entropy bonus, as a change of the recipe."""
    return {"recipe_overrides": {"regularizers": [{"name": "entropy", "coefficient": coefficient}]}}


CURVES = {
    "plain-style": Curve(
        "SmolLM2-135M learns a style: the command of docs/how_to/train.md",
        {"targets": ("./collection/plain-style",), "model": "smollm2", "recipe": "gdpo", "steps": 12,
         "learning_rate": 5e-5, "temperature": 0.9, "prompts_per_step": 8, "num_generations": 8,
         "max_completion_length": 24, "max_generation_batches": 1},
        ("reward", "rewards/lowercase/mean", "rewards/topic/mean", "entropy"),
    ),
    "change-making": Curve(
        "A random model of 120,000 weights: a supervised warm-up on answers, then reinforcement learning",
        {"targets": ("./collection/change-making",), "model": "tiny", "steps": 60, "sft_steps": 150, "temperature": 1.0,
         "learning_rate": 1e-3, "prompts_per_step": 8, "num_generations": 8, "max_completion_length": 8,
         "max_generation_batches": 2, "eval_tasks": 64},
        ("rewards/correct/mean", "rewards/simplest_form/mean", "entropy"),
    ),
    "wordle": Curve(
        "A model of 120,000 weights plays lecture/wordle over several turns, with 12 secrets to find: supervised steps "
        "on games played at random, then reinforcement learning",
        {"targets": ("./collection/wordle",), "model": "tiny", "steps": 60, "temperature": 1.0, "learning_rate": 3e-4,
         "prompts_per_step": 4, "num_generations": 8, "max_completion_length": 8, "max_turns": 6,
         "max_generation_batches": 1, "max_tasks": SECRETS, "eval_tasks": 8},
        ("rewards/solved/mean", "rewards/speed/mean", "rewards/valid_guesses/mean", "entropy"),
        begins_with={"recipe": "sft", "demonstrations": WORDLE_GAMES, "steps": 150, "learning_rate": 3e-3,
                     "prompts_per_step": 4, "num_generations": 6, "eval_tasks": 0},
    ),
    "wordle-opening": Curve(
        "The model of 120,000 weights plays lecture/wordle for three turns, with 12 secrets to find: supervised steps "
        "on games that begin with one word and go on at random, then reinforcement learning",
        {"targets": ("./collection/wordle",), "model": "tiny", "steps": 60, "temperature": 1.0, "learning_rate": 1e-3,
         "prompts_per_step": 6, "num_generations": 8, "max_completion_length": 8, "max_turns": 3,
         "max_generation_batches": 1, "max_tasks": SECRETS, "eval_tasks": 0},
        ("rewards/solved/mean", "rewards/speed/mean", "rewards/valid_guesses/mean", "entropy"),
        begins_with={"recipe": "sft", "demonstrations": WORDLE_OPENINGS, "steps": 120, "learning_rate": 3e-3,
                     "prompts_per_step": 4, "num_generations": 4, "eval_tasks": 0},
    ),
    "short-wordle": Curve(
        "Wordle with three letters and twelve words: a warm-up on games played at random, then reinforcement learning",
        {"targets": ("scripts/curve_tasks/short_wordle",), "model": "tiny",
         "demonstrations": SHORT_WORDLE_GAMES, "sft_steps": 80,
         "steps": 60, "temperature": 1.0, "learning_rate": 1e-3, "prompts_per_step": 6, "num_generations": 8,
         "max_completion_length": 5, "max_generation_batches": 1, "eval_tasks": 24},
        ("rewards/solved/mean", "rewards/valid_guesses/mean", "entropy"),
    ),
    "mixed": Curve(
        "Two environments in one run, digits (one answer) and short Wordle (a session), after a warm-up on games alone",
        {"targets": ("scripts/curve_tasks/digits", "scripts/curve_tasks/short_wordle"), "model": "tiny",
         "demonstrations": SHORT_WORDLE_GAMES, "sft_steps": 80,
         "steps": 60, "temperature": 1.0, "learning_rate": 1e-3, "prompts_per_step": 8, "num_generations": 8,
         "max_completion_length": 8, "max_generation_batches": 1, "eval_tasks": 12},
        ("rewards/digits/mean", "rewards/solved/mean", "rewards/valid_guesses/mean", "entropy"),
    ),
    "calculator": Curve(
        "SmolLM2-135M calls lecture/calculator's tool, after a light warm-up on demonstrations",
        {"targets": ("./collection/calculator",), "model": "smollm2", "demonstrations": CALCULATOR_CALLS,
         "sft_steps": 24, "steps": 8, "temperature": 1.0, "learning_rate": 5e-5, "prompts_per_step": 4,
         "num_generations": 4, "max_completion_length": 64, "max_turns": 3, "max_generation_batches": 1,
         "eval_tasks": 16},
        ("reward", "rewards/used_tool/mean", "rewards/right_number/mean", "entropy"),
    ),
    "python-functions": Curve(
        "SmolLM2-135M writes functions for lecture/python-functions: supervised steps on programs of the right form "
        "whose numbers were drawn by chance, then reinforcement learning",
        {"targets": ("./collection/python-functions",), "model": "smollm2", "steps": 12, "temperature": 1.0,
         "learning_rate": 3e-5, "prompts_per_step": 4, "num_generations": 8, "max_completion_length": 104,
         "max_generation_batches": 1, "eval_tasks": 24, "eval_split": "train"},
        ("rewards/passes/mean", "rewards/tests_passed/mean", "rewards/defines_function/mean", "entropy"),
        begins_with={"recipe": "sft", "demonstrations": PROGRAMS, "steps": 40, "learning_rate": 5e-5,
                     "prompts_per_step": 4, "num_generations": 4, "eval_tasks": 0},
    ),
    "entropy": Curve(
        "The same task without and with entropy control",
        DIGITS,
        ("reward", "entropy"),
        {"without": {}, "entropy bonus 0.01": bonus(0.01), "entropy bonus 0.1": bonus(0.1)},
    ),
    "hole": Curve(
        "A verifier with a planted hole, beside a second verifier that is never learnt from",
        {**DIGITS, "targets": ("scripts/curve_tasks/digits_with_hole",),
         "held_out_verifier": "scripts/curve_tasks/digits_without_hole"},
        ("rewards/digits/mean", "held_out/digits/mean", "entropy"),
    ),
}  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Train what is missing, and write."""
    parser = argparse.ArgumentParser(prog="scripts/curves", description=__doc__)
    parser.add_argument("names", nargs="+", choices=sorted(CURVES))
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--runs", type=Path, default=ROOT / "verihub-runs" / "curves", help="where the runs are kept")
    parser.add_argument("--output", type=Path, default=PAGES)
    options = parser.parse_args(arguments)
    os.chdir(ROOT)
    for name in options.names:
        curve = CURVES[name]
        start = begin(curve, options.runs / name / "begin")
        runs = []
        for variant, changes in curve.variants.items():
            for seed in options.seeds:
                folder = options.runs / name / f"{variant.replace(' ', '-') or 'run'}-{seed}"
                if not (folder / "model").is_dir():
                    train({**curve.settings, **start, **changes, "seed": seed, "output": folder.resolve()})
                runs.append({"variant": variant, "seed": seed, **read_run(folder, curve.metrics)})
        report = {"curve": name, "what": curve.what, "command": command(name, options.seeds),
                  "settings": described(curve), "runs": runs}  # fmt: skip
        write(options.output / name, report)


def begin(curve: Curve, folder: Path) -> dict[str, Any]:
    """Train the supervised run that all seeds begin with, where there is one; what that changes of their settings."""
    if not curve.begins_with:
        return {}
    if not (folder / "model").is_dir():
        train({**curve.settings, **curve.begins_with, "seed": 0, "output": folder.resolve()})
    return {"model": str(folder.resolve() / "model")}


def command(name: str, seeds: Sequence[int]) -> str:
    """What repeats the curve."""
    return f"scripts/curves {name} --seeds {' '.join(map(str, seeds))}"


def described(curve: Curve) -> dict[str, Any]:
    """The settings as JSON, and what each variant changes of them."""
    changes = {name: dict(changed) for name, changed in curve.variants.items() if changed}
    plain = {name: list(value) if isinstance(value, tuple) else value for name, value in curve.settings.items()}
    begins = {"begins_with": dict(curve.begins_with)} if curve.begins_with else {}
    return {**plain, **begins, **({"variants": changes} if changes else {})}


def train(settings: Mapping[str, Any]) -> None:
    """One run of one seed, in this process."""
    os.environ["VERIHUB_SANDBOX_TRUST_LOCAL_CODE"] = "1"
    from hub_client.client import Hub  # noqa: PLC0415 -- torch takes seconds; --help should not
    from hub_client.settings import ClientSettings  # noqa: PLC0415
    from trainer_bridge.loop import train as run  # noqa: PLC0415
    from trainer_bridge.settings import TrainSettings  # noqa: PLC0415

    began = time.perf_counter()
    if "demonstrations" in settings:
        WARM_UPS[settings["demonstrations"]](ROOT / settings["demonstrations"])
    given = {"recipe": "dapo", "threads": 1, "save_steps": 0, **settings}
    with Hub(settings=ClientSettings.load(offline=True, backend="local", run_at="here")) as hub:
        run(TrainSettings.make(given), hub=hub, report=False)
    print(f"{given['output'].name}: {time.perf_counter() - began:.0f} s", file=sys.stderr)


def read_run(folder: Path, metrics: Sequence[str]) -> dict[str, Any]:
    """From a run's own files: what it was made of, the drawn metrics by step, held-out rewards before and after."""
    by_step = {}
    for line in (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines():
        point = json.loads(line)
        by_step[point["step"]] = point["values"]  # a step that is told again replaces the first telling
    steps = sorted(step for step in by_step if step > 0)
    series = {name: [rounded(by_step[step].get(name)) for step in steps] for name in metrics}
    ends = {"before": by_step.get(0, {}), "after": by_step[steps[-1]]}
    held_out = {
        name.removeprefix("eval_"): [rounded(end.get(name)) for end in ends.values()]
        for name in sorted(ends["after"])
        if name == "eval_reward" or (name.startswith("eval_rewards/") and name.endswith("/mean"))
    }
    alarms = {name: alarm(steps, series, name) for name in metrics if name.startswith("held_out/")}
    receipt = json.loads((folder / "receipt.json").read_text(encoding="utf-8"))
    made_of = {
        "packages": {one["package"]: one["version"] for one in receipt["packages"]},
        "dtype": receipt["model"]["dtype"],
    }
    told = {"alarm_since_step": alarms} if alarms else {}
    return {**made_of, "steps": steps, "series": series, "held_out_before_and_after": held_out, **told}


def alarm(steps: Sequence[int], series: Mapping[str, Sequence[float | None]], held_out: str) -> float | None:
    """Since which step the hub's alarm of reward hacking stands on this run's page; null where it raises none."""
    from schemas.measures.hacking_alarm import find_alarm  # noqa: PLC0415 -- only curves with a second verifier

    trained, held = (
        [(float(step), value) for step, value in zip(steps, series[name], strict=True) if value is not None]
        for name in (held_out.replace("held_out/", "rewards/"), held_out)
    )
    found = find_alarm(trained, held, audited_fpr=None)
    return None if found is None else found.step


def rounded(value: float | None) -> float | None:
    """Four digits behind the point; what was not judged stays null."""
    return None if value is None else round(value, 4)


def write(path: Path, report: Mapping[str, Any]) -> None:
    """The numbers, and the plot made from them."""
    text = json.dumps(report, indent=None, separators=(",", ":")) + "\n"
    if len(text.encode()) > MOST_BYTES:
        sys.exit(f"error: {path.name} would be {len(text)} bytes long, and {MOST_BYTES} are allowed")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_suffix(".json").write_text(text, encoding="utf-8")
    path.with_suffix(".svg").write_text(plot(report), encoding="utf-8")


if __name__ == "__main__":
    main()
