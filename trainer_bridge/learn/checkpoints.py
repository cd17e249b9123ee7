"""Checkpoints. They are written atomically, and a resumed run continues bit for bit. Those of another run are
refused.
"""

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from trainer_bridge.disk import writing_to
from trainer_bridge.errors import CheckpointMismatchError

_FACTS, _TENSORS = "checkpoint.json", "state.pt"
_SCRATCH = ".checkpoint-"
_FREE = frozenset(
    {
        "steps",
        "run_name",
        "save_steps",
        "save_total_limit",
        "rollouts_per_step",
        "decode_slots",
        "lockstep",
        "threads",
        "rank_timeout",
        "report_to",
        "project",
        "max_fpr",
        "max_fnr",
        "require_grade",
        "audit_report",
        "report_suspects",
        "max_suspects",
        "engine_url",
        "engine_weights",
        "engine_memory",
    }
)
"""Settings that may differ on resume: they do not change what a step computes."""
_NAME = re.compile(r"checkpoint-(\d+)")


@dataclass(frozen=True)
class Checkpoint:
    """``tensors``: masters, optimizer, generator. ``facts``: plain JSON: step, stream, state, evaluation, run id.

    ``identity`` is what must not change when a run is resumed.
    """

    tensors: dict[str, Any]
    facts: dict[str, Any]
    identity: dict[str, Any]


def save(folder: Path, checkpoint: Checkpoint, *, keep: int) -> Path:
    """Write ``checkpoint-<step>`` into ``folder`` atomically, and remove all but the newest ``keep``.

    Raises:
        NotWrittenError: the disk is full, say. The older checkpoints stay.

    """
    folder.mkdir(parents=True, exist_ok=True)
    final = folder / f"checkpoint-{checkpoint.facts['step']:06d}"
    for left in folder.glob(f"{_SCRATCH}*"):  # left by a save that was killed; a run's folder has only one writer
        shutil.rmtree(left)
    scratch = Path(tempfile.mkdtemp(prefix=_SCRATCH, dir=folder))
    try:
        with writing_to(scratch):
            torch.save(checkpoint.tensors, scratch / _TENSORS)
            facts = {"facts": checkpoint.facts, "identity": checkpoint.identity, "sha256": _digest(scratch / _TENSORS)}
            (scratch / _FACTS).write_text(json.dumps(facts))
        trash = _set_aside(final)  # removed only when the new one is there: that takes long, and a kill may come
        os.replace(scratch, final)  # noqa: PTH105 -- the one call that is atomic on every system
        if trash is not None:
            shutil.rmtree(trash)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    for old in _by_step(folder)[:-keep]:
        _drop(old)
    return final


def _by_step(folder: Path) -> list[Path]:
    """Checkpoints, oldest first. Folders with other names, such as copies, are ignored."""
    named = [(int(match[1]), path) for path in folder.glob("*") if (match := _NAME.fullmatch(path.name))]
    return [path for _, path in sorted(named)]


def _drop(checkpoint: Path) -> None:
    """Rename the folder, then remove it.

    So no half-removed checkpoint keeps its name if the process is killed meanwhile.
    """
    trash = _set_aside(checkpoint)
    if trash is not None:
        shutil.rmtree(trash)


def _set_aside(checkpoint: Path) -> Path | None:
    """Rename the folder into one that may be removed at any time, which is returned. None if there is no folder."""
    if not checkpoint.exists():
        return None
    trash = Path(tempfile.mkdtemp(prefix=_SCRATCH, dir=checkpoint.parent))
    os.replace(checkpoint, trash / checkpoint.name)  # noqa: PTH105 -- as in save
    return trash


def checkpoint_folder(output: Path) -> Path:
    """The folder of checkpoints of a run that writes to ``output``."""
    return output / "checkpoints"


def newest_checkpoint(output: Path) -> Path | None:
    """The newest complete checkpoint of the run that writes to ``output``."""
    return find_latest(checkpoint_folder(output))


def find_latest(folder: Path) -> Path | None:
    """The newest complete checkpoint in ``folder``."""
    found = [path for path in _by_step(folder) if all((path / name).is_file() for name in (_FACTS, _TENSORS))]
    return found[-1] if found else None


def load(path: Path, identity: Mapping[str, Any], device: torch.device) -> Checkpoint:
    """Read a checkpoint.

    Raises:
        CheckpointMismatchError: it was written with other settings, recipe, model or packages, or it is damaged.

    """
    try:
        stored = json.loads((path / _FACTS).read_text())
        facts, known, recorded = stored["facts"], dict(stored["identity"]), stored["sha256"]
        actual = _digest(path / _TENSORS)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CheckpointMismatchError(f"{path} is damaged ({error!r}): remove it to resume from an older one") from None
    if actual != recorded:
        raise CheckpointMismatchError(f"{path}/{_TENSORS} is damaged: its digest is not the recorded one")
    free = _FREE - _not_free(identity)
    different = sorted(
        key
        for key in {*known, *identity}
        if key not in free and known.get(key) != json.loads(json.dumps(identity.get(key)))
    )
    if different:
        was = ", ".join(f"{key} was {known.get(key)!r} and is {identity.get(key)!r}" for key in different[:3])
        raise CheckpointMismatchError(f"{path} is another run's: {was}. Use the same settings, or another --output")
    tensors = torch.load(path / _TENSORS, map_location=device, weights_only=True)
    return Checkpoint(tensors, facts, known)


def _not_free(identity: Mapping[str, Any]) -> set[str]:
    """Which of the free settings change what this run computes.

    A falling learning rate depends on the number of steps. With ``max_staleness`` nothing is sampled ahead across a
    checkpoint, so the interval of checkpoints decides which samples are one update old.
    """
    falls = identity.get("lr_scheduler_type", "constant") != "constant"
    return ({"steps"} if falls else set()) | ({"save_steps"} if identity.get("max_staleness") else set())


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
