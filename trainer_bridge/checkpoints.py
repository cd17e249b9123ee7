"""Checkpoints: written whole or not at all, resumed to the last bit, refused when they are another run's."""

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from trainer_bridge.errors import CheckpointMismatchError

_FREE = frozenset(
    {"steps", "run_name", "save_steps", "save_total_limit", "rollouts_per_step", "decode_slots", "threads"}
)
"""Settings that may differ on resume: they do not change what a step computes."""


@dataclass(frozen=True)
class Checkpoint:
    """``tensors``: masters, optimizer, generator. ``facts``: plain JSON: step, stream, state, evaluation, run id.

    ``identity`` is everything that must be the same for a resumed run to be the same run.
    """

    tensors: dict[str, Any]
    facts: dict[str, Any]
    identity: dict[str, Any]


def save(folder: Path, checkpoint: Checkpoint, *, keep: int) -> Path:
    """Write ``checkpoint-<step>`` into ``folder`` atomically and drop all but the newest ``keep``."""
    folder.mkdir(parents=True, exist_ok=True)
    final = folder / f"checkpoint-{checkpoint.facts['step']:06d}"
    scratch = Path(tempfile.mkdtemp(prefix=".checkpoint-", dir=folder))
    try:
        torch.save(checkpoint.tensors, scratch / "state.pt")
        facts = {"facts": checkpoint.facts, "identity": checkpoint.identity, "sha256": _digest(scratch / "state.pt")}
        (scratch / "checkpoint.json").write_text(json.dumps(facts))
        if final.exists():
            shutil.rmtree(final)
        os.replace(scratch, final)  # noqa: PTH105 -- the one call that is atomic on every system
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    for old in sorted(folder.glob("checkpoint-*"))[:-keep]:
        shutil.rmtree(old)
    return final


def find_latest(folder: Path) -> Path | None:
    """The newest complete checkpoint in ``folder``."""
    found = sorted(path for path in folder.glob("checkpoint-*") if (path / "checkpoint.json").is_file())
    return found[-1] if found else None


def load(path: Path, identity: Mapping[str, Any], device: torch.device) -> Checkpoint:
    """Read a checkpoint.

    Raises:
        CheckpointMismatchError: it was written under other settings, recipe, model or packages, or it is damaged.

    """
    try:
        stored = json.loads((path / "checkpoint.json").read_text())
    except ValueError as error:
        raise CheckpointMismatchError(
            f"{path}/checkpoint.json is damaged ({error}); resume from an older one"
        ) from None
    if _digest(path / "state.pt") != stored["sha256"]:
        raise CheckpointMismatchError(f"{path}/state.pt is damaged: its digest is not the recorded one")
    different = sorted(
        key
        for key in {*stored["identity"], *identity}
        if key not in _FREE and stored["identity"].get(key) != json.loads(json.dumps(identity.get(key)))
    )
    if different:
        was = ", ".join(
            f"{key} was {stored['identity'].get(key)!r} and is {identity.get(key)!r}" for key in different[:3]
        )
        raise CheckpointMismatchError(f"{path} is another run's: {was}. Use the same settings, or another --output")
    tensors = torch.load(path / "state.pt", map_location=device, weights_only=True)
    return Checkpoint(tensors, stored["facts"], stored["identity"])


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
