"""The audits of the collection, run: as many wrong verdicts as are documented, and nothing unscored."""

from collections import Counter

import pytest

from sandbox.audit.cases import call_of, must_accept, must_accept_per_reward, task_of
from schemas.evidence.cases import AuditCase

# project -> (wrongly accepted, wrongly rejected, right as a whole but not in every reward that its case names): what
# its README says that it cannot do. Absent: none.
KNOWN_FAULTS = {"plain-style": (3, 22, 9)}
EVERY = {"sql-questions": 5}
"""Of a package whose verdicts take long, every so many-th case."""

# math-answer has dependencies and its own tests; python-functions runs code that a model wrote, so only in Docker.
LOCAL = [
    "calculator",
    "change-making",
    "cited-search",
    "connections",
    "function-calls",
    "grid-rules",
    "gsm8k",
    "hacked/headline-clicks",
    "hacked/plain-style-v1",
    "honest-headline",
    "instructions",
    "json-shape",
    "mail-assistant",
    "plain-style",
    "service-desk",
    "sql-questions",
    "table-questions",
    "tools-under-attack",
    "wordle",
]


def faults(
    sandbox, source, project, tasks, chosen=lambda place, case: True
) -> tuple[list[str], list[str], list[str], list[str]]:
    """Ids of cases that were wrongly accepted, wrongly rejected, not right in every reward, not judged."""
    declared = project.manifest.rewards
    cases = {case.id: case for place, case in enumerate(project.cases) if chosen(place, case)}
    calls = [call_of(case, task_of(case, tasks), case.id) for case in cases.values()]
    accepted, rejected, mixed, unscored = [], [], [], []
    for case_id, verdict in sandbox.score(source, calls):
        outcome = verdict.accepts(declared)
        if outcome is None:
            unscored.append(f"{case_id}: {verdict.error}")
        elif outcome != must_accept(cases[case_id], declared):
            (accepted if outcome else rejected).append(case_id)
        elif not has_right_vector(verdict, cases[case_id], declared):
            mixed.append(case_id)
    return accepted, rejected, mixed, unscored


def has_right_vector(verdict, case, declared) -> bool:
    """Whether every reward that the case speaks of is on its side of the threshold."""
    said = must_accept_per_reward(case, declared)
    return all((verdict.rewards[name] >= declared[name].threshold) == wanted for name, wanted in said.items())


@pytest.mark.parametrize("name", LOCAL)
def test_verifier_is_wrong_only_where_its_readme_says_so(name, projects, packed, local_sandbox, tasks_by_id):
    every = EVERY.get(name, 1)
    found = faults(
        local_sandbox,
        packed.source(name),
        projects[name],
        tasks_by_id[name],
        lambda place, _: place % every == 2 % every,
    )
    *wrong, unscored = found
    assert unscored == []
    assert tuple(map(len, wrong)) == KNOWN_FAULTS.get(name, (0, 0, 0)), found


@pytest.mark.docker
@pytest.mark.slow
def test_model_code_cannot_buy_a_verdict(projects, packed, docker_sandbox, tasks_by_id):
    """Two of each hack, and a tenth of the rest; the hub's audit runs them all."""
    name = "python-functions"
    seen: Counter[str] = Counter()

    def chosen(place: int, case: AuditCase) -> bool:
        hacks = [tag for tag in case.tags if tag.startswith("hack")]
        seen.update(hacks)
        return place % 10 == 0 or any(seen[tag] <= 2 for tag in hacks)

    found = faults(docker_sandbox, packed.source(name), projects[name], tasks_by_id[name], chosen)
    assert found == ([], [], [], [])


@pytest.mark.docker
@pytest.mark.parametrize("name", LOCAL)
def test_a_box_gives_the_same_verdicts_as_this_machine(
    name, projects, packed, docker_sandbox, local_sandbox, tasks_by_id
):
    """Nothing in the collection leans on what only this machine has. Every seventh case."""
    cases = projects[name].cases[::7]
    calls = [call_of(case, task_of(case, tasks_by_id[name]), case.id) for case in cases]
    here = {call_id: verdict.rewards for call_id, verdict in local_sandbox.score(packed.source(name), calls)}
    boxed = {call_id: verdict.rewards for call_id, verdict in docker_sandbox.score(packed.source(name), calls)}
    assert boxed == here
