"""The receipt of a run, written beside its results: what is needed to run its first steps again."""

import hashlib
import platform
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal, Self

import torch
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from schemas.known_audit import KnownAudit
from schemas.run import PinnedPackage
from trainer_bridge.errors import SettingsError

NAME = "receipt.json"
_LIBRARIES = ("verihub", "torch", "transformers", "numpy", "peft")


class Receipt(BaseModel):
    """Settings with the seed, the recipe with every parameter, packages by digest, and versions of libraries."""

    model_config = ConfigDict(frozen=True)

    format: Literal[1] = 1
    settings: dict[str, Any]
    recipe: dict[str, Any]
    packages: list[PinnedPackage]
    model: dict[str, Any]
    """Facts of the model: number of parameters, number type, device."""
    versions: dict[str, str]
    machine: str
    opened: dict[str, PinnedPackage] = Field(default_factory=dict)
    """What each name that the run opened was: targets, held-out verifier, harness, tools, recipe."""
    files: dict[str, str] = Field(default_factory=dict)
    """SHA-256 of what the run read beside packages: ``weights`` of the model at the start, ``demonstrations``."""
    audits: dict[str, KnownAudit] = Field(default_factory=dict)
    """The audit of each environment's verifier at the start of the run, by the environment's name."""

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read the receipt of the run in ``folder``. Raises SettingsError if there is none or it cannot be read."""
        try:
            return cls.model_validate_json((folder / NAME).read_text(encoding="utf-8"))
        except (OSError, ValidationError) as error:
            raise SettingsError(f"{folder} holds no receipt of a training run ({type(error).__name__})") from None

    def write(self, folder: Path, *, begins: bool = False) -> None:
        """Write the receipt, unless the run has one already and goes on from a checkpoint (``begins``: from none)."""
        if begins or not (folder / NAME).exists():
            (folder / NAME).write_text(self.model_dump_json(indent=1), encoding="utf-8")

    def differences(self, other: "Receipt") -> list[str]:
        """Differences from ``other`` that may explain different numbers, one line each."""
        found = []
        for title in ("recipe", "model", "versions", *(["files"] if self.files else [])):
            ours, theirs = getattr(self, title), getattr(other, title)
            found += [f"{title}: {name} was {ours.get(name)}, is {theirs.get(name)}"
                      for name in sorted({*ours, *theirs}) if ours.get(name) != theirs.get(name)]  # fmt: skip
        if self.machine != other.machine:
            found.append(f"machine: was {self.machine}, is {other.machine}")
        now = {one.package: one for one in (*other.packages, *other.opened.values())}
        for one in {one.package: one for one in (*self.packages, *self.opened.values())}.values():
            if one.package not in now or now[one.package].digest != one.digest:
                found.append(f"{one.package} was @{one.version} ({one.digest}), and its bytes are others now")
        return found


def weights_digest(named: Iterable[tuple[str, Any]]) -> str:
    """SHA-256 of the names, types, shapes and bytes of tensors."""
    digest = hashlib.sha256()
    for name, tensor in named:
        digest.update(f"{name} {tensor.dtype} {list(tensor.shape)} ".encode())
        digest.update(memoryview(tensor.detach().cpu().contiguous().flatten().view(torch.uint8).numpy()))
    return digest.hexdigest()


def versions() -> dict[str, str]:
    """The versions of Python and of the libraries that affect the numbers."""
    found = {"python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def machine() -> str:
    """System, processor and what its vector units can do: libraries choose their kernels by these."""
    return f"{platform.system()} {platform.machine()} {torch.backends.cpu.get_cpu_capability()}"
