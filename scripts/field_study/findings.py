"""Defects that a person has read, and what could not be measured: ``findings.toml``.

What a verifier returned on a defect's case is measured by ``scripts/field --defects`` and kept in ``returned.json``.
"""

import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.field_study.subjects import Verifier

PLACE = Path(__file__).with_name("findings.toml")
RETURNED = Path(__file__).with_name("returned.json")


@dataclass(frozen=True)
class Defect:
    """One counter-example. ``label``: what the response is. ``why``: what is wrong, and where it comes from."""

    name: str
    verifier: str
    title: str
    task: Mapping[str, Any]
    response: str
    label: str
    why: str


@dataclass(frozen=True)
class Finding:
    """A defect and what was measured of it, as the page shows it."""

    verifier: str
    package: str
    version: str
    title: str
    prompt: str
    answer: str
    response: str
    expected: str
    returned: str
    why: str


@dataclass(frozen=True)
class NotMeasured:
    """What was tried, or looked at, and is not in the tables."""

    what: str
    why: str


def load_defects(place: Path = PLACE) -> list[Defect]:
    """Every defect, in the order of the file. Raises ValueError for a label that is none."""
    found = [Defect(**row) for row in tomllib.loads(place.read_text(encoding="utf-8")).get("defects", [])]
    if wrong := [one.name for one in found if one.label not in ("correct", "incorrect")]:
        raise ValueError(f"neither correct nor incorrect: {', '.join(wrong)}")
    return found


def load_missing(place: Path = PLACE) -> list[NotMeasured]:
    """What is not in the tables, with the reason."""
    return [NotMeasured(**row) for row in tomllib.loads(place.read_text(encoding="utf-8")).get("missing", [])]


def read_returned(place: Path = RETURNED) -> dict[str, Any]:
    """Defect -> what was measured: ``score`` (null: not judged), ``error``, ``version``."""
    return dict(json.loads(place.read_text(encoding="utf-8"))) if place.is_file() else {}


def is_contradicted(label: str, score: float | None, error: str, threshold: float) -> bool:
    """Whether the verdict contradicts the label. A raise does as well: the case asks for a verdict.

    A late answer does not: on a busy machine it says nothing about the verifier.
    """
    if error:
        return not error.startswith("timeout")
    if score is None:
        return True
    return (score >= threshold) != (label == "correct")


def findings(defects: Iterable[Defect], verifiers: Iterable[Verifier], returned: Mapping[str, Any]) -> list[Finding]:
    """The defects that were measured and still stand, in order."""
    known = {one.name: one for one in verifiers}
    found = []
    for one in defects:
        got = returned.get(one.name)
        subject = known[one.verifier]
        if got is None or not is_contradicted(one.label, got["score"], got["error"], subject.threshold):
            continue
        expected = "accepted" if one.label == "correct" else "rejected"
        what = got["error"] or f"{got['score']:g}" + (" (accepted)" if one.label == "incorrect" else " (rejected)")
        found.append(
            Finding(
                one.verifier, subject.package.name, got["version"], one.title, str(one.task.get("prompt", "")),
                str(one.task.get("answer", "")), one.response, expected, what, one.why,
            )
        )  # fmt: skip
    return found
