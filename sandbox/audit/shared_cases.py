"""Compares two verifiers on shared cases: both sides' labelled ones, and seeded probes made from them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sandbox.audit.cases import Declared, task_of
from sandbox.audit.differential import compare
from sandbox.audit.evaluation import Judgement
from sandbox.audit.judge import CaseRun, Judge
from sandbox.audit.probe_set import PROBE_SEED, generate, material_from
from sandbox.audit.probes.registry import FAMILIES
from sandbox.audit.runner import generated_cases, runner_version
from sandbox.interface import Source
from schemas.comparison import SideCases, VerifierComparison
from schemas.evidence.audit_plan import Progress
from schemas.evidence.cases import AuditCase
from schemas.task import canonical_json
from schemas.verdict import Verdict

MOST_CASES = 250
"""Most labelled cases from one side. From more, an even spread is taken."""
MOST_PROBES = 150
"""Most generated cases from one side for one judge."""


def whole_cases(side_cases: SideCases) -> list[AuditCase]:
    """Cases with their tasks included, under ids of their side. Cases whose task is missing are left out."""
    whole = []
    for case in _spread(side_cases.cases, MOST_CASES):
        task = task_of(case, side_cases.tasks)
        if task is not None:
            update = {
                "id": f"{side_cases.name}:{case.id}",
                "task": task,
                "task_id": f"{side_cases.name}:{task.get('id')}",
            }
            whole.append(case.model_copy(update=update))
    return whole


def labelled_cases(sides: Sequence[SideCases]) -> list[list[AuditCase]]:
    """Each side's cases with their tasks. A case that an earlier side has as well is taken once."""
    seen: set[bytes] = set()
    return [[case for case in whole_cases(side_cases) if _is_new(case, seen)] for side_cases in sides]


def _is_new(case: AuditCase, seen: set[bytes]) -> bool:
    key = canonical_json([case.task, case.response, case.messages, case.state, case.files])
    if key in seen:
        return False
    seen.add(key)
    return True


def shared_probes(side_cases: SideCases, judged: Sequence[tuple[Sequence[Judgement], Declared]]) -> list[AuditCase]:
    """Probes made from one side's cases, given each judge's verdicts.

    The same release, cases and seed give the same probes.
    """
    seen: set[bytes] = set()
    probes = []
    for number, (judgements, declared) in enumerate(judged):
        generated = generate(FAMILIES, material_from(judgements, side_cases.tasks, declared), PROBE_SEED)
        for probe in _spread(generated, MOST_PROBES):
            task_name = f"{side_cases.name}:{(probe.case.task or {}).get('id')}"
            case = probe.case.model_copy(
                update={"id": f"{side_cases.name}:{number}:{probe.case.id}", "task_id": task_name}
            )
            if case.task is not None and _is_new(case, seen):
                probes.append(case)
    return probes


async def compare_on_cases(
    sandbox: Judge,
    sources: tuple[Source, Source],
    sides: Sequence[SideCases],
    *,
    names: tuple[str, str],
    progress: Progress = lambda _done, _total: None,
) -> VerifierComparison:
    """Compare two verifiers on the labelled cases of all sides (also generated ones), and on probes."""
    runs = [CaseRun(sandbox, source, progress=progress) for source in sources]
    made = [SideCases(f"{names[side]}:made", await generated_cases(sandbox, sources[side])) for side in (0, 1)]
    sides = [*sides, *(side_cases for side_cases in made if side_cases.cases)]
    groups = labelled_cases(sides)
    labelled = [[(await run.judge(group, {}))[0] for group in groups] for run in runs]
    declared = (sources[0].manifest.rewards, sources[1].manifest.rewards)
    probes = probes_of(sides, labelled, declared)
    probed = [(await run.judge(probes, {}))[0] for run in runs]
    found = comparison(labelled, probed, declared, names)
    return found.model_copy(update={"first_digest": sources[0].digest, "second_digest": sources[1].digest})


def probes_of(
    sides: Sequence[SideCases], labelled: Sequence[Sequence[Sequence[Judgement]]], declared: tuple[Declared, Declared]
) -> list[AuditCase]:
    """Probes from the cases of every side. ``labelled``: [judge][side] judgements."""
    return [
        case
        for index, side_cases in enumerate(sides)
        for case in shared_probes(side_cases, [(labelled[0][index], declared[0]), (labelled[1][index], declared[1])])
    ]


def comparison(
    labelled: Sequence[Sequence[Sequence[Judgement]]],
    probed: Sequence[Sequence[Judgement]],
    declared: tuple[Declared, Declared],
    names: tuple[str, str],
) -> VerifierComparison:
    """The comparison of two judges over the cases of all sides and over probes."""
    first, second = ([*(one for group in labelled[side] for one in group), *probed[side]] for side in (0, 1))
    found = compare(first, second, declared, names)
    return found.model_copy(update={"runner_version": runner_version()})


def _spread(items: Sequence[Any], count: int) -> list[Any]:
    """At most ``count`` items, spread evenly over all of them."""
    return list(items) if len(items) <= count else [items[at * len(items) // count] for at in range(count)]


Score = Callable[[int, list[AuditCase]], Mapping[str, Verdict]]
"""(0 for the first verifier, 1 for the second; cases with their tasks inside) -> verdicts by the case's id."""


def compare_by(
    score: Score,
    sides: Sequence[SideCases],
    declared: tuple[Declared, Declared],
    names: tuple[str, str],
    *,
    probes: bool = True,
) -> VerifierComparison:
    """:func:`compare_on_cases` with any way of scoring, without cases made by functions."""

    def judged(side: int, cases: list[AuditCase]) -> list[Judgement]:
        verdicts = score(side, cases) if cases else {}
        return [Judgement(case, case.task, verdicts.get(case.id)) for case in cases]

    groups = labelled_cases(sides)
    labelled = [[judged(side, group) for group in groups] for side in (0, 1)]
    generated = probes_of(sides, labelled, declared) if probes else []
    probed = [judged(side, generated) for side in (0, 1)]
    return comparison(labelled, probed, declared, names)
