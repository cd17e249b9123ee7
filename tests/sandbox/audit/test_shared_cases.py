"""Two packages' cases as one suite: whole, once, under names of their own, with probes of either side."""

import asyncio

from sandbox.audit.shared_cases import MOST_CASES, SideCases, compare_on_cases, labelled_cases
from schemas.evidence.cases import AuditCase


def suite(name: str, shift: int, count: int = 20) -> SideCases:
    tasks = {f"t{n}": {"id": f"t{n}", "prompt": f"{n}?", "answer": n + shift} for n in range(count)}
    cases = [
        AuditCase(id=f"{kind}{n}", task_id=f"t{n}", response=f"The answer is {n + shift + off}", label=label)
        for n in range(count)
        for kind, off, label in (("r", 0, "correct"), ("w", 1, "incorrect"))
    ]
    return SideCases(name, cases, tasks)


class TwoJudges:
    def __init__(self, judges):
        self.judges = judges

    def judge(self, source, calls, *, isolation=None):
        return self.judges[source.digest].judge(source, calls, isolation=isolation)


def last_word(call):
    return {"correct": float(call.response.split()[-1] == str(call.task["answer"]) if call.response.split() else 0.0)}


def contains(call):
    return {"correct": float(str(call.task["answer"]) in call.response)}


def run(judge_of, make_source, first, second, suites):
    sources = make_source(), make_source(extra="[sandbox]\ntimeout_seconds = 2")
    sandbox = TwoJudges({sources[0].digest: judge_of(first), sources[1].digest: judge_of(second)})
    return asyncio.run(compare_on_cases(sandbox, sources, suites, names=("al/a@1", "al/b@2")))


def test_tasks_of_the_same_id_from_two_packages_stay_two_tasks(judge_of, make_source):
    found = run(judge_of, make_source, last_word, last_word, [suite("al/a", 0), suite("bo/b", 100)])
    assert found.agreed == found.judged
    assert found.distance is not None
    assert found.distance.value < 1e-9
    assert found.case_count - found.probe_count == 80


def test_probes_find_what_labelled_cases_do_not(judge_of, make_source):
    """On the labelled cases the substring rule is right by luck; generated cases part them."""
    found = run(judge_of, make_source, last_word, contains, [suite("al/a", 100)])
    assert found.probe_count > 20
    parted = {item.origin for item in found.disagreements}
    assert parted == {"probe"}


def test_the_suite_is_the_same_every_time(judge_of, make_source):
    suites = [suite("al/a", 0), suite("bo/b", 7)]
    digests = {run(judge_of, make_source, last_word, contains, suites).suite_digest for _ in range(2)}
    assert len(digests) == 1


def test_a_case_that_both_bring_is_asked_once_and_many_are_thinned():
    first, second = labelled_cases([suite("al/a", 0), suite("bo/b", 0)])
    assert (len(first), len(second)) == (40, 0)
    assert len(labelled_cases([suite("al/a", 0, count=400)])[0]) == MOST_CASES


def test_a_case_whose_task_is_nowhere_is_left_out():
    lost = SideCases("al/a", [AuditCase(id="x", task_id="gone", response="1", label="correct")])
    assert labelled_cases([lost]) == [[]]
