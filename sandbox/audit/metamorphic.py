"""Runs the pairs that a package's author registers, and counts those whose verdicts contradict their relation."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sandbox.audit.cases import Declared
from sandbox.audit.evaluation import SHOWN_CHARACTERS, Judgement, earned_share
from sandbox.audit.judge import CaseRun
from sandbox.errors import GuestFaultError
from sandbox.host.wheel_contents import contents_of
from schemas.evidence.cases import AuditCase, Label, Origin
from schemas.evidence.metamorphic import SHOWN_BROKEN, BrokenPair, MetamorphicOutcome, MetamorphicPair, PairSide
from schemas.rows import made_row
from schemas.sources import DataFile
from schemas.wheels.package_data import check_relations, pair_rows

MOST_PAIRS = 200
"""Of one package. Each takes two calls."""


async def measure_pairs(run: CaseRun, tasks: Mapping[str, dict[str, Any]]) -> dict[str, MetamorphicOutcome]:
    """Rewriting -> its outcome, in the order of the author's rows. If the author's function fails, one that says so."""
    entry = run.source.manifest.probes.pairs
    if entry is None:
        return {}
    try:
        pairs = await _pairs_of(run)
    except (GuestFaultError, ValueError) as error:
        fault = f"{entry} failed: {str(error).splitlines()[0][:200]}"
        return {"pairs": MetamorphicOutcome(relation="same", pairs=0, broken=0, fault=fault)}
    cases = [_case(pair, side, index) for index, pair in enumerate(pairs) for side in (pair.before, pair.after)]
    judgements, _ = await run.judge(cases, tasks)
    found: dict[str, list[tuple[MetamorphicPair, Judgement, Judgement]]] = {}
    for pair, before, after in zip(pairs, judgements[::2], judgements[1::2], strict=True):
        found.setdefault(pair.rewriting, []).append((pair, before, after))
    declared = run.source.manifest.rewards
    return {rewriting: _outcome(judged, declared) for rewriting, judged in found.items()}


async def _pairs_of(run: CaseRun) -> list[MetamorphicPair]:
    entry = run.source.manifest.probes.pairs
    if isinstance(entry, DataFile):
        return list(pair_rows(contents_of(run.source).read_data(entry), entry))[:MOST_PAIRS]
    rows = await run.sandbox.generate(run.source, str(entry), split="pairs", count=MOST_PAIRS)
    pairs = [made_row(MetamorphicPair, row, index) for index, row in enumerate(rows)]
    for sentence in check_relations(pairs):
        raise ValueError(sentence)
    return pairs


def _case(pair: MetamorphicPair, side: PairSide, index: int) -> AuditCase:
    """One side as a case. Its label is not known, and nothing reads the one that it has here."""
    return AuditCase(
        id=f"pair:{pair.rewriting}:{index}",
        task=side.task if side.task is not None else pair.task,
        task_id=pair.task_id,
        response=side.response,
        messages=side.messages,
        state=side.state,
        files=side.files,
        label=Label.CORRECT,
        origin=Origin.PROBE,
    )


def _outcome(judged: Sequence[tuple[MetamorphicPair, Judgement, Judgement]], declared: Declared) -> MetamorphicOutcome:
    relation = judged[0][0].relation
    broken, changes, unscored, accepted = [], [], 0, 0
    for pair, before, after in judged:
        first, second = before.given(declared), after.given(declared)
        accepted += first is True
        if first is None or second is None:
            unscored += 1
            continue
        if (first is second) != (relation == "same"):
            broken.append(_shown(pair, before, accepted=first))
        earned = earned_share(before, declared), earned_share(after, declared)
        if earned[0] is not None and earned[1] is not None:
            changes.append(abs(earned[0] - earned[1]))
    return MetamorphicOutcome(
        relation=relation,
        pairs=len(judged),
        broken=len(broken),
        unscored=unscored,
        accepted=accepted,
        mean_change=sum(changes) / len(changes) if changes else None,
        examples=broken[:SHOWN_BROKEN],
    )


def _shown(pair: MetamorphicPair, before: Judgement, *, accepted: bool) -> BrokenPair:
    return BrokenPair(
        before=_text(pair.before), after=_text(pair.after), accepted=accepted, task=before.shown_task, note=pair.note
    )


def _text(side: PairSide) -> str:
    """The response, else whatever else the side holds, as JSON."""
    held = side.model_dump(exclude_none=True, exclude={"task"})
    text = side.response if list(held) == ["response"] else json.dumps(held, ensure_ascii=False)
    return (text or "")[:SHOWN_CHARACTERS]
