"""The probes for one package: which families apply, and a few seeded cases of each."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from random import Random
from typing import Any

from sandbox.audit.cases import Declared, must_accept
from sandbox.audit.evaluation import Judgement
from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Example, Material
from schemas.evidence.cases import AuditCase, Label, Origin
from schemas.rows import made_row
from schemas.task import canonical_json

PROBE_SEED = 20_261_116
"""Default seed of the probes: two audits of the same release with the same cases then use the same cases."""
_TASKS = 32  # chosen, not measured: an even spread of a package's tasks
_EXAMPLES = 512  # chosen: bounds what families read of a package with many cases
_DRAFTS = 400  # chosen: of these a family's cases are drawn
_FURTHER = 11
"""Cases on which a way is tried again that was judged wrongly: all of them wrong is certainly an F."""


@dataclass(frozen=True)
class Probe:
    """One generated case of a family."""

    family: str
    case: AuditCase
    way: str = ""
    part: str = ""
    """What of the evidence it belongs to; empty: its family."""
    plain: str | None = None
    """What the labelled case said of which it is made."""


def material_from(
    judgements: Sequence[Judgement],
    tasks: Mapping[str, dict[str, Any]],
    declared: Declared,
    forms: Iterable[str] = (),
    own_words: Iterable[str] = (),
) -> Material:
    """The material for probes: a spread of tasks, and the cases that are labelled right and undisputed.

    Labels that accounts of standing alone gave keep probes from saying the opposite, and none is made from them.

    ``forms``: what the package's adapters put around the answers of suites. ``own_words``: what its code looks for.
    """
    shown = [
        (_example(judgement, declared), must_accept(judgement.case, declared), _is_sure(judgement.case))
        for judgement in judgements
        if judgement.task is not None and judgement.case.origin is not Origin.REPORTED  # its label is one person's word
    ]
    right = [example for example, must, is_sure in shown if must and is_sure]
    wrong = [example for example, must, is_sure in shown if not must and is_sure]
    examples = [example for example in right if example.state is None]
    said = [
        ((str(example.task.get("id")), example.text), must, is_sure)
        for example, must, is_sure in shown
        if example.text is not None
    ]
    known = {str(task.get("id")): task for task in [*(dict(item.task) for item in examples), *tasks.values()]}
    return Material(
        declared=dict(declared),
        tasks=tuple(_spread([known[name] for name in sorted(known)], _TASKS)),
        examples=tuple(_spread(examples, _EXAMPLES)),
        labels={key: must for key, must, _ in said},
        unsure=frozenset(key for key, _, _ in said) - {key for key, _, is_sure in said if is_sure},
        wrong=tuple(_spread(wrong, _EXAMPLES)),
        forms=tuple(sorted(set(forms))),
        own_words=tuple(own_words),
        states=tuple(_spread([example for example in right if example.state is not None], _EXAMPLES)),
    )


def _is_sure(case: AuditCase) -> bool:
    """Whether cases may be made from it: what follows from a label is as wrong as the label."""
    return not case.disputed and (case.by_owner or not case.uncorroborated)


def independent(judgements: Iterable[Judgement]) -> list[Judgement]:
    """Those of cases that are not the author's, by choice or by the owner's word."""
    return [one for one in judgements if one.case.origin.is_independent and not one.case.by_owner]


def generate(
    families: Iterable[Family], material: Material, seed: int | str, others: Material | None = None
) -> list[Probe]:
    """At most twelve cases for each family, or as many as it says.

    ``others``: what independent cases alone show. Half of a family's cases are made from it, and all where the author's
    cases speak against the family: who is measured may not switch off what others' cases make certain.
    The same material and seed give the same cases, whatever other families do.
    """
    return [probe for family in families for probe in _generate_family(family, material, seed, others)]


def further(
    families: Iterable[Family],
    material: Material,
    seed: int | str,
    others: Material | None,
    judged: Iterable[tuple[Probe, bool]],
) -> list[Probe]:
    """More cases of each way that was judged wrongly. ``judged``: each probe, and whether the verdict is wrong.

    One failure of a way is too little to lower a grade, and all ways on many cases are too many calls. So one case
    searches, and others, which had no part in the search, say how often the way is judged wrongly.
    """
    ways: dict[str, set[str]] = {}
    there: dict[str, list[AuditCase]] = {}
    for probe, is_wrong in judged:
        there.setdefault(probe.family, []).append(probe.case)
        if probe.way and is_wrong:
            ways.setdefault(probe.family, set()).add(probe.way)
    found = []
    for family in families:
        if family.name not in ways:
            continue
        known = {_content_of(case) for case in there[family.name]}
        new = [
            draft
            for source, name in ((others, ":others"), (material, ""))
            if source is not None
            for draft in _all_drafts(family, source, _random(f"{seed}:{family.name}{name}"))
            if _content_of(draft) not in known
        ]
        for way in sorted(ways[family.name]):
            drafts = [draft for draft in new if draft.way == way]
            part = f"{family.name} ({way})"
            found += [
                Probe(family.name, _case(family, draft, f"{way}:{index}"), way, part, draft.plain)
                for index, draft in enumerate(_distinct(drafts)[:_FURTHER])
            ]
    return found


def authors_probe(row: object, index: int) -> Probe:
    """A row of a package's own generator: an audit case with a ``family``. Raises ValueError for anything else."""
    if not isinstance(row, Mapping):
        raise ValueError(f"row {index} of the generator is no object but {type(row).__name__}")  # noqa: TRY004 -- as a wrong field
    fields: dict[str, Any] = dict(row)
    family = f"author_{fields.pop('family', 'probe')}"
    fields |= {"id": f"{family}-{index}", "origin": Origin.PROBE}
    case = made_row(AuditCase, fields, index)
    return Probe(family, case.model_copy(update={"tags": [*case.tags, family]}))


def _example(judgement: Judgement, declared: Declared) -> Example:
    case = judgement.case
    return Example(
        task=dict(judgement.task or {}),
        response=case.response,
        files=case.files,
        messages=case.messages,
        state=case.state,
        is_accepted=judgement.overall(declared).accepted is True,
        is_others=case.origin.is_independent,
    )


def _generate_family(family: Family, material: Material, seed: int | str, others: Material | None) -> list[Probe]:
    drafts = _drafts(family, material, f"{seed}:{family.name}")
    if others is not None and others.examples:
        theirs = _drafts(
            family, others, f"{seed}:{family.name}:others", -(-family.most // 2) if drafts else family.most
        )
        drafts = _distinct([*theirs, *drafts])[: family.most]
    return [
        Probe(family.name, _case(family, draft, str(index)), draft.way, plain=draft.plain)
        for index, draft in enumerate(drafts)
    ]


def _drafts(family: Family, material: Material, seed: str, most: int | None = None) -> list[Draft]:
    """A sample of at most ``most`` drafts that contradict no label, in the order in which they were made."""
    random, most = _random(seed), family.most if most is None else most
    drafts = _all_drafts(family, material, random)
    if len(drafts) <= most:
        return drafts
    if any(draft.way for draft in drafts):
        return _of_every_way(drafts, most)
    return [drafts[index] for index in sorted(random.sample(range(len(drafts)), most))]


def _random(seed: str) -> Random:
    return Random(seed)  # noqa: S311 -- reproducible cases, not secrets


def _all_drafts(family: Family, material: Material, random: Random) -> list[Draft]:
    made = islice(family.make(material, random), _DRAFTS)
    drafts = _distinct(map(_beside_a_right_one, made) if family.expects == "incorrect" else made)
    return [draft for draft in drafts if not _contradicts_a_label(draft, family, material)]


def _beside_a_right_one(draft: Draft) -> Draft:
    """Where a response is compared with a second one, the second gives the task's answer.

    Of two wrong responses none is certainly the worse, and the second response of a task whose right response is known
    is a wrong one.
    """
    info, answer = draft.task.get("info"), draft.task.get("answer")
    if not isinstance(info, dict) or not isinstance(info.get("other"), str) or type(answer) not in {str, int, float}:
        return draft
    return replace(draft, task={**draft.task, "info": {**info, "other": str(answer)}})


def _of_every_way(drafts: Sequence[Draft], most: int) -> list[Draft]:
    """The first of each way, then the second of each, and so on."""
    seen: Counter[str] = Counter()
    turns = []
    for draft in drafts:
        turns.append(seen[draft.way])
        seen[draft.way] += 1
    order = sorted(range(len(drafts)), key=lambda index: turns[index])
    return [drafts[index] for index in order[:most]]


def _contradicts_a_label(draft: Draft, family: Family, material: Material) -> bool:
    acts = any(message.get("tool_calls") for message in draft.messages or ())
    if draft.files is not None or draft.state is not None or acts:  # what was said last does not say what was done
        return False
    text = Example(draft.task, draft.response, messages=draft.messages).text
    label = None if text is None else material.labels.get((str(draft.task.get("id")), text))
    return label is not None and label != (family.expects == "correct")


def _case(family: Family, draft: Draft, index: str) -> AuditCase:
    return AuditCase(
        id=f"probe:{family.name}:{index}",
        task=draft.task,
        response=draft.response,
        files=draft.files,
        messages=draft.messages,
        state=draft.state,
        label=Label(family.expects),
        origin=Origin.PROBE,
        tags=[family.name],
        note=draft.note,
    )


def _distinct(drafts: Iterable[Draft]) -> list[Draft]:
    found: dict[tuple[str, str | bytes | None], Draft] = {}
    for draft in drafts:
        found.setdefault(_content_of(draft), draft)
    return list(found.values())


def _content_of(one: Draft | AuditCase) -> tuple[str, str | bytes | None]:
    """Equal for what shows the same task the same answer."""
    parts = [one.files, one.messages, one.state]
    is_text = parts == [None, None, None]  # as most are: their JSON would cost as much as making them
    what = one.response if is_text else canonical_json([one.response, *parts])
    return repr((one.task or {}).get("id")), what


def _spread(items: Sequence[Any], count: int) -> list[Any]:
    """At most ``count`` items, spread evenly over all of them."""
    if len(items) <= count:
        return list(items)
    return [items[index * len(items) // count] for index in range(count)]
