"""Runs the first steps of a run again, from its receipt, and compares all metrics bit for bit."""

import json
import tempfile
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from schemas.known_audit import AuditLimits
from schemas.rows import json_lines
from schemas.run import PinnedPackage
from trainer_bridge.errors import SettingsError
from trainer_bridge.known_audits import KnownAudits, what_changed
from trainer_bridge.loop import Replayed, train
from trainer_bridge.opened_packages import OpenedPackages
from trainer_bridge.ports import Hub
from trainer_bridge.reports.receipt import Receipt
from trainer_bridge.reports.step_report import NoProgress
from trainer_bridge.settings import TrainSettings

_OF_THE_CLOCK = ("time/", "perf/", "step_time", "eval_", "rollout/lost_tries")
"""Prefixes of metrics that are not compared: times, lost boxes, evaluations (which a short replay does not reach)."""
_Row = dict[str, float | None]


@dataclass(frozen=True)
class RunReplay:
    """The result. ``steps`` were compared; ``differing`` lists each metric that differed: step, name, then, now."""

    steps: int
    compared: int
    differing: tuple[tuple[int, str, float | None, float | None], ...]
    differences: tuple[str, ...]
    """Other differences from the receipt: versions, machine, packages."""


class _EnoughError(Exception):
    """The requested steps are done."""


class _Steps(NoProgress):
    """A progress display that ends the run after a number of steps."""

    def __init__(self, steps: int) -> None:
        self._steps = steps

    def step(self, step: int, total: int, metrics: Mapping[str, float]) -> None:
        del metrics
        if step >= min(self._steps, total):
            raise _EnoughError


def replay(folder: Path, hub: Hub, *, steps: int = 2, cache: Path | None = None) -> RunReplay:
    """Run the first ``steps`` steps of the run in ``folder`` again, in another folder, and compare every metric.

    Every package is used in exactly the version of the receipt: targets, held-out verifier, harness, tools and recipe.
    So is the number type, which ``auto`` would choose by a measurement.

    Raises:
        SettingsError: there is no receipt that can be read, or no finished step, or the run does not repeat to the bit
        (several processes, vLLM, or a number of threads chosen before each step).

    """
    receipt, then = Receipt.read(folder), _metrics(folder)
    _settings(folder, receipt.settings)
    if receipt.model.get("processes", 1) > 1:
        raise SettingsError(
            f"this run was trained by {receipt.model['processes']} processes; how sums are cut over processes changes "
            "their last bits, so it repeats to rounding and not to the bit"
        )
    if receipt.settings.get("engine", "own") != "own":
        raise SettingsError("this run's samples were written by vLLM, whose numbers do not repeat to the bit")
    wanted = [step for step in sorted(then) if 0 < step <= steps]
    if not wanted:
        raise SettingsError(f"{folder} has no finished step to compare with")
    with tempfile.TemporaryDirectory(prefix="verihub-replay-") as name:
        output = Path(name) / "run"
        changes: dict[str, Any] = {"output": output, "resume": False, "report_to": ()}
        if not receipt.settings.get("max_staleness"):  # with it, nothing is sampled ahead across a checkpoint
            changes["save_steps"] = 0
        changes |= {"max_fpr": None, "max_fnr": None, "require_grade": "", "audit_report": ()}
        changes |= {"threads": _threads(receipt, [then[step] for step in wanted])}
        changes |= {name: receipt.model[name] for name in ("dtype", "device") if name in receipt.model}
        changes |= {"cache": cache} if cache else {}
        settings = _settings(folder, {**receipt.settings, **changes})
        pins = {**_pinned(receipt), **receipt.opened}
        with suppress(_EnoughError):
            replayed = Replayed(receipt.audits, pins, _pauses(then))
            train(settings, hub=hub, progress=_Steps(wanted[-1]), report=False, replayed=replayed)
        now, again = _metrics(output), Receipt.read(output)
    differing, count = _differing(then, now, wanted)
    return RunReplay(
        len(wanted),
        count,
        differing,
        (*(_why(receipt, then) if differing else ()), *receipt.differences(again), *_audit_changes(receipt, hub)),
    )


def _pauses(rows: Mapping[int, _Row]) -> set[int]:
    """After which steps nothing was sampled ahead: at checkpoints and evaluations, and where the run was stopped."""
    return {step - 1 for step, row in rows.items() if row.get("sampling/staleness") == 0}


def _differing(
    then: Mapping[int, _Row], now: Mapping[int, _Row], steps: list[int]
) -> tuple[tuple[tuple[int, str, float | None, float | None], ...], int]:
    """Each metric that differs, and how many were compared."""
    compared = [(step, metric) for step in steps for metric in then[step] if not metric.startswith(_OF_THE_CLOCK)]
    found = [(step, metric, then[step][metric], now.get(step, {}).get(metric)) for step, metric in compared]
    return tuple(one for one in found if one[2] != one[3]), len(compared)


def _why(receipt: Receipt, then: Mapping[int, _Row]) -> tuple[str, ...]:
    """What a difference in the last digits comes from, where the run was not played in a way that repeats."""
    has_turns = any((row.get("rollout/turns") or 0) > 1 for row in then.values())
    if any(row.get("rollout/lost_tries") for row in then.values()):
        lost = (
            "some of this run's rollouts were lost with their box or hub and played again later than the others, so "
            "which tokens were computed together, and with it their last digits, need not repeat"
        )
        return (lost,)
    if receipt.settings.get("lockstep") or not (has_turns or receipt.settings.get("harness")):
        return ()
    why = (
        "this run's rollouts went on whenever their sessions or harness answered, so which tokens were computed "
        "together, and with it their last digits, need not repeat: train with --set lockstep=true for a run that does"
    )
    return (why,)


def _audit_changes(receipt: Receipt, hub: Hub) -> list[str]:
    """How audits differ from those at the start of the run. Empty if no hub can be asked."""
    known, now = KnownAudits(hub, AuditLimits()), {}
    pinned = OpenedPackages(hub, {**_pinned(receipt), **receipt.opened})
    for target in receipt.settings["targets"]:
        with closing(pinned.environment(target)) as environment:
            found = known.find(environment)
            if found is not None:
                now[environment.manifest.id] = found
    on_hub = {package: then for package, then in receipt.audits.items() if then.audit}
    return what_changed(on_hub, now) if now else []


def _metrics(folder: Path) -> dict[int, _Row]:
    """Step -> its metrics, the newest line of each."""
    try:
        lines = json_lines((folder / "metrics.jsonl").read_text(encoding="utf-8"))
    except OSError:
        return {}
    points = [json.loads(line) for line in lines]
    return {point["step"]: point["values"] for point in points}


def _threads(receipt: Receipt, rows: list[_Row]) -> int:
    """The number of threads that the run used. With another number, sums round differently."""
    if receipt.settings["threads"]:
        return int(receipt.settings["threads"])
    used = {row.get("perf/threads") or 1.0 for row in rows}
    if used != {1.0} and receipt.model["device"] == "cpu":
        raise SettingsError(
            "this run chose its threads anew before each step, so its numbers repeat to rounding and not to the bit: "
            "train with --set threads=1 for a run that repeats"
        )
    return 1


def _settings(folder: Path, values: dict[str, Any]) -> TrainSettings:
    try:
        return TrainSettings.model_validate(values)
    except ValidationError as error:
        where = ".".join(map(str, error.errors()[0]["loc"]))
        raise SettingsError(
            f"the receipt in {folder} holds settings that this version does not take: {where} "
            f"({error.errors()[0]['msg']}). It was edited, or written by another version"
        ) from None


def _pinned(receipt: Receipt) -> dict[str, PinnedPackage]:
    """What the run's targets were. Receipts of earlier versions say it in this order alone."""
    return dict(zip(receipt.settings["targets"], receipt.packages, strict=False))
