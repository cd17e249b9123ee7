"""How many of the third list an audit finds that is given right answers alone."""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandbox.audit import run_audit
from sandbox.audit.exploits import forms
from sandbox.interface import Call, Source
from schemas.evidence.cases import AuditCase, Label
from schemas.manifest import Isolation, Manifest
from schemas.verdict import ErrorKind, Verdict
from scripts.field_study.recall import OFTEN, shown
from scripts.field_study.unseen import LIST, fifth, fourth, seventh, sixth
from scripts.field_study.unseen.defect import Unseen, Verify

REWARD = "accepted"
KEPT = Path(__file__).with_name("found.json")
KEPT_FOURTH = Path(__file__).with_name("found_fourth.json")
KEPT_FIFTH = Path(__file__).with_name("found_fifth.json")
KEPT_SIXTH = Path(__file__).with_name("found_sixth.json")
KEPT_SEVENTH = Path(__file__).with_name("found_seventh.json")
KEPT_OF = (
    (LIST, KEPT), (fourth.LIST, KEPT_FOURTH), (fifth.LIST, KEPT_FIFTH), (sixth.LIST, KEPT_SIXTH),
    (seventh.LIST, KEPT_SEVENTH),
)  # fmt: skip


@dataclass(frozen=True)
class Judged:
    """A verdict; time is of no interest here."""

    id: str
    verdict: Verdict
    milliseconds: float = 1.0


@dataclass(frozen=True)
class InProcess:
    """Judges with a function of this process: everything in the list is our own code."""

    verify: Verify

    async def judge(
        self, source: Source, calls: Iterable[Call], *, isolation: Isolation | None = None
    ) -> AsyncIterator[Judged]:
        """A verdict for each call, in order."""
        del source, isolation
        for call in calls:
            yield Judged(call.id, self._verdict(call))

    def _verdict(self, call: Call) -> Verdict:
        try:
            return Verdict(rewards={REWARD: self.verify(call.task, call.response or "")})
        except Exception as error:  # noqa: BLE001 -- a raise is what the verifier does
            return Verdict.unjudged([REWARD], ErrorKind.VERIFIER_FAILED, repr(error)[:200])

    async def image_digest(self, source: Source) -> str:
        """No image."""
        return source.digest

    async def generate(
        self, source: Source, entry: str, *, split: str, count: int, start: int = 0, seed: int = 0
    ) -> list[dict[str, Any]]:
        """Nothing is generated."""
        raise NotImplementedError(entry)


def _source(name: str) -> Source:
    text = 'format = 1\nid = "field/subject"\nkind = "verifier"\nverifier = "field_subject:verify"\n'
    text += f"[rewards.{REWARD}]\n"
    digest = "sha256:" + hashlib.sha256(f"{text}{name}".encode()).hexdigest()
    return Source(digest=digest, wheel=Path("unseen.whl"), manifest=Manifest.from_toml(text))


def audited(one: Unseen, verify: Verify) -> dict[str, Any]:
    """What an audit shows of one verifier (:func:`scripts.field_study.recall.shown`)."""
    tasks = {task["id"]: task for task, _ in one.right}
    cases = [
        AuditCase(id=f"right {number}", task_id=task["id"], response=text, label=Label.CORRECT)
        for number, (task, text) in enumerate(one.right)
    ]
    report = asyncio.run(
        run_audit(InProcess(verify), _source(one.name), cases, tasks=tasks, subject=f"unseen/{one.name}@1.0.0")
    )
    return shown(report, len(cases))


def differing(label: str, defective: Mapping[str, Any], mended: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Names of families, and of ways, that tell the verifier with the defect from the mended one.

    ``label``: which answers the defect gets wrong. A family does where it is wrong, or raises, more often; a way where
    its share of accepted answers differs by ``OFTEN`` or more, upwards for wrong answers, downwards for right ones.
    """
    families = [
        name
        for name, (wrong, raised, _) in defective["families"].items()
        if wrong + raised > sum(mended["families"].get(name, (0, 0, 0))[:2])
        and name.startswith(("benign", "oracle")) is (label == "correct")
    ]
    sign = -1 if label == "correct" else 1
    ways = [
        name
        for name in defective["ways"]
        if (name in forms.NAMES) is (label == "correct")
        and sign * (_share(defective, name) - _share(mended, name)) >= OFTEN
    ]
    return families, ways


def _share(report: Mapping[str, Any], name: str) -> float:
    accepted, tries, _ = report["ways"].get(name, (0, 0, 0))
    return accepted / tries if tries else 0.0


def measured(one: Unseen) -> dict[str, list[str]]:
    """What tells a defect: families (certain labels) and ways (rates)."""
    families, ways = differing(one.shown.label, audited(one, one.verify), audited(one, one.mended))
    return {"families": families, "ways": ways}


def read(place: Path = KEPT) -> dict[str, Any]:
    """Defect -> what found it: ``first`` before anything was made for the list, and ``after``."""
    return dict(json.loads(place.read_text(encoding="utf-8"))) if place.is_file() else {}


def write(found: Mapping[str, Any], place: Path = KEPT) -> None:
    """One line a defect."""
    lines = [f" {json.dumps(name)}: {json.dumps(one)}" for name, one in sorted(found.items())]
    place.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def measure_all(listed: Iterable[Unseen], only: Iterable[str] = (), place: Path = KEPT) -> None:
    """Audit each (``only``: these) with the families of today, and keep what finds it as ``after``."""
    found, wanted = read(place), set(only)
    for one in listed:
        if not wanted or one.name in wanted:
            found[one.name] = (
                {"first": {"families": [], "ways": []}} | found.get(one.name, {}) | {"after": measured(one)}
            )
            write(found, place)
            print(one.name, json.dumps(found[one.name]["after"])[:160], flush=True)
