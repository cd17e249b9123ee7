"""How many verifiers get little from probes: ``python scripts/probe_reach.py [PACKAGE]…``.

Counted are the families and ways that are made of a verifier's own tasks and right answers, not the junk that everybody
gets. Verifiers of the collection are audited here, in this process, on ``CASES`` right and wrong cases of their own;
outside verifiers by the reports of ``scripts/field --recall`` and ``--reported``.
"""

import asyncio
import importlib
import inspect
import json
import sys
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from schemas.sources import DataFile

sys.path.insert(0, str(Path(__file__).parents[1]))

from sandbox.audit import run_audit
from sandbox.guest.call import VERIFY_NAMES
from sandbox.interface import Call, Source
from schemas.evidence.cases import AuditCase, Label
from schemas.manifest import Isolation, Manifest
from schemas.verdict import ErrorKind, Verdict
from scripts.field_study import recall, reported
from scripts.field_study.recall import FEW, made_for_it, shown

COLLECTION = Path(__file__).parents[1] / "collection"
CASES = 20


@dataclass(frozen=True)
class Judged:
    """A verdict that took no time worth telling."""

    id: str
    verdict: Verdict
    milliseconds: float = 0.0


@dataclass(frozen=True)
class OwnJudge:
    """Calls the code of a package of the collection in this process: it is our own."""

    verify: Any

    async def judge(
        self, source: Source, calls: Iterable[Call], *, isolation: Isolation | None = None
    ) -> AsyncIterator[Judged]:
        """A verdict for each call, in order."""
        del isolation
        names = [name for name in inspect.signature(self.verify).parameters if name in VERIFY_NAMES]
        for call in calls:
            brought = vars_of(call)
            try:
                found = Verdict(rewards=self.verify(**{name: brought[name] for name in names}))
            except Exception as error:  # noqa: BLE001 -- as a box does, whatever it raises
                found = Verdict.unjudged(list(source.manifest.rewards), ErrorKind.VERIFIER_FAILED, repr(error)[:200])
            yield Judged(call.id, found)

    async def image_digest(self, source: Source) -> str:
        """No image."""
        return source.digest

    async def generate(
        self, source: Source, entry: str, *, split: str, count: int, start: int = 0, seed: int = 0
    ) -> list[dict[str, Any]]:
        """What a package generates is not needed to see which families reach it."""
        del source, entry, split, count, start, seed
        return []


def vars_of(call: Call) -> dict[str, Any]:
    """A call's parts by the names that a verifier asks for, text and messages each made of the other."""
    response, messages = call.response, call.messages
    if response is None and messages:
        spoken = [
            one["content"] for one in messages if one.get("role") == "assistant" and isinstance(one.get("content"), str)
        ]
        response = spoken[-1] if spoken else None
    elif messages is None and response is not None:
        messages = [{"role": "assistant", "content": response}]
    info = (call.task or {}).get("info") or {}
    said = {"response": response, "messages": messages, "state": call.state, "files": call.files or {}}
    return said | {"task": call.task, "info": info}


def audited(folder: Path) -> dict[str, Any] | None:
    """The counts of a package's audit; None where it has no verifier, or asks a model."""
    place = next(folder.glob("src/*/verihub.toml"))
    manifest = Manifest.from_toml(place.read_text(encoding="utf-8"))
    if manifest.verifier is None or manifest.model is not None:
        return None
    sys.path.insert(0, str(place.parents[1]))
    module, _, name = manifest.verifier.partition(":")
    judge = OwnJudge(getattr(importlib.import_module(module), name))
    files = [one for one in manifest.tasks.values() if isinstance(one, DataFile)]
    tasks = {row["id"]: row for file in files for row in _rows(place.parent / file)}
    rows = [AuditCase.model_validate(row) for file in manifest.case_files for row in _rows(place.parent / file)]
    cases = [case for label in Label for case in islice((row for row in rows if row.label is label), CASES)]
    plain = manifest.model_copy(update={"probes": type(manifest.probes)()})  # an author's own probes are no reach
    source = Source(digest="sha256:" + "0" * 64, wheel=Path("own.whl"), manifest=plain)
    report = asyncio.run(run_audit(judge, source, cases, tasks=tasks, subject=f"{manifest.id}@1.0.0"))
    return shown(report, sum(case.label is Label.CORRECT for case in cases))


def _rows(place: Path) -> Iterator[dict[str, Any]]:
    with place.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def main() -> None:
    """A line a verifier with its number, then how many get at most ``FEW``."""
    wanted = set(sys.argv[1:])
    found = {f"{name} (reasoning-gym)": one for name, one in recall.read()["reports"].items() if "not_drawn" not in one}
    found |= reported.read()["reports"]
    for folder in sorted(one.parents[2] for one in COLLECTION.glob("*/src/*/verihub.toml")):
        if not wanted or folder.name in wanted:
            report = audited(folder)
            if report is not None:
                found[f"lecture/{folder.name}"] = report
                print(folder.name, len(made_for_it(report)), flush=True)
    few = [name for name, one in found.items() if len(made_for_it(one)) <= FEW]
    print(f"{len(few)} of {len(found)} verifiers get at most {FEW}: {', '.join(few)}")


if __name__ == "__main__":
    main()
