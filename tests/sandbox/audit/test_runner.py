import asyncio
import re
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from sandbox.audit import reproducible_bytes, run_audit
from sandbox.audit.errors import CaseError, SelectionError
from schemas.evidence.cases import AuditCase
from schemas.evidence.rates import Grade
from schemas.manifest import Isolation

TASKS = {f"t{n}": {"id": f"t{n}", "prompt": f"What is {n} + {n}?", "answer": 2 * n} for n in range(1, 41)}


def last_number(call):
    numbers = re.findall(r"-?\d+", call.response or "")
    return {"correct": float(bool(numbers) and numbers[-1] == str(call.task["answer"]))}


def substring(call):
    return {"correct": float(str(call.task["answer"]) in (call.response or ""))}


def suite(right=40, wrong=40):
    names = list(TASKS)
    cases = [
        AuditCase(
            id=f"r{n}",
            task_id=names[n],
            response=f"The answer is {TASKS[names[n]]['answer']}",
            label="correct",
            tags=["plain"],
        )
        for n in range(right)
    ]
    return cases + [
        AuditCase(
            id=f"w{n}",
            task_id=names[n],
            response="The answer is 999",
            label="incorrect",
            origin="community",
            tags=["far"],
        )
        for n in range(wrong)
    ]


def audit(judge, source, cases, **options):
    options = {"tasks": TASKS, "subject": "al/check@1.0", "probes": False} | options
    return asyncio.run(run_audit(judge, source, cases, **options))


def test_the_confusion_matrix_counts_what_the_verifier_did(judge_of, make_source):
    odd_is_wrong = judge_of(lambda call: {"correct": float(int(call.task["id"][1:]) % 4 == 0)})
    report = audit(odd_is_wrong, make_source(), suite())
    assert (report.overall.tp, report.overall.fn, report.overall.fp, report.overall.tn) == (10, 30, 10, 30)
    assert report.rewards["correct"] == report.overall
    assert report.slices["tag:plain"].fn == 30
    assert report.slices["origin:community"].fp == 10
    assert report.slices["origin:author"].fpr.value is None
    assert report.slices["task:t4"].tp == report.slices["task:t4"].fp == 1
    assert report.grade is Grade.F
    assert report.youden_j == pytest.approx(0.0)
    assert {failure.case: failure.kind for failure in report.failures}["w3"] == "fp"
    assert len(report.failures) == 40


def test_copies_count_once_whatever_their_ids(judge_of, make_source):
    """A package of one right and one wrong answer, 400 times each, had an A."""
    cases = [
        AuditCase(
            id=f"{label}{n}", task={"id": f"copy-{n}", "prompt": "1 + 1?", "answer": 2}, response=text, label=label
        )
        for label, text in (("correct", "The answer is 2"), ("incorrect", "I do not know"))
        for n in range(400)
    ]
    report = audit(judge_of(substring), make_source(), cases)
    assert (report.case_count, report.duplicates) == (2, 798)
    assert (report.overall.tp, report.overall.tn) == (1, 1)
    assert report.grade is Grade.UNMEASURED


def test_ten_lines_that_make_thousands_of_cases_make_two_forms(judge_of, make_source):
    tasks = {f"n{n}": {"id": f"n{n}", "prompt": f"{n}?", "answer": n} for n in range(1000)}
    cases = [
        AuditCase(id=f"{label}{n}", task_id=f"n{n}", response=text.format(n), label=label)
        for label, text in (("correct", "The answer is {}."), ("incorrect", "I do not know the answer"))
        for n in range(1000)
    ]
    report = audit(judge_of(substring), make_source(), cases, tasks=tasks)
    assert (report.overall.fpr.clusters, report.overall.fpr.alike) == (1, "forms")
    assert report.grade is Grade.UNMEASURED
    assert report.grading.missing[0].startswith(
        "More wrong answers: there are 1000, alike in 1 form, and any grade takes at least 9"
    )
    assert "0 of 1000 wrong answers (in 1 form) were accepted:" in report.power_hint


def test_what_cannot_be_judged_is_counted_with_its_reason_and_is_in_no_rate(judge_of, make_source):
    def moody(call):
        if call.task["id"] in ("t1", "t2"):
            raise TimeoutError
        if call.task["id"] == "t3":
            raise ValueError("at 0x7f00deadbeef")
        return {"correct": None} if call.task["id"] == "t4" else last_number(call)

    cases = [*suite(), AuditCase(id="lost", task_id="nowhere", response="1", label="correct")]
    report = audit(judge_of(moody), make_source(), cases)
    assert report.unscored_reasons == {"not_judged": 2, "task_missing": 1, "timeout": 4, "verifier_failed": 2}
    assert report.overall.unscored == 9
    assert report.overall.tp + report.overall.tn == 72
    assert report.overall.fnr.value == 0.0
    errors = {failure.case: failure.error for failure in report.failures}
    assert errors["lost"] == "the release has no task nowhere"
    assert errors["r2"] == "verifier_failed: ValueError('at 0x…')"


def test_rewards_are_measured_on_the_cases_that_speak_of_them(judge_of, make_source):
    rewards = "[rewards.correct]\n[rewards.short]\nthreshold = 0.8"
    source = make_source(rewards)
    judge = judge_of(lambda call: last_number(call) | {"short": 0.7})
    cases = [
        AuditCase(id="a", task_id="t1", response="2", label="incorrect", expect={"correct": 1.0, "short": 0.5}),
        AuditCase(id="b", task_id="t1", response="2", label="correct", expect={"short": 0.9}),
        AuditCase(id="c", task_id="t1", response="3", label="incorrect"),
    ]
    report = audit(judge, source, cases)
    assert (report.rewards["correct"].tp, report.rewards["correct"].tn) == (1, 0)
    assert (report.rewards["short"].tn, report.rewards["short"].fn) == (1, 1)
    assert (report.overall.tn, report.overall.fn) == (2, 1)


@pytest.mark.parametrize("changes_at", [2, 3])
def test_repeats_find_a_verifier_that_changes_its_mind(judge_of, make_source, changes_at):
    runs = Counter()

    def forgetful(call):
        runs[call.task["id"]] += 1
        is_early = call.task["id"] == "t1" and runs["t1"] < changes_at
        return {"correct": float(is_early) or last_number(call)["correct"] * 0.9}

    report = audit(judge_of(forgetful), make_source(), suite(wrong=0), repeats=3)
    assert report.determinism.repeats == 3
    assert report.determinism.flips == 1


def test_disputed_cases_count_and_are_shown_apart(judge_of, make_source):
    cases = [case.model_copy(update={"disputed": case.id == "w0"}) for case in suite()]
    report = audit(judge_of(substring), make_source(), cases)
    assert report.disputed == 1
    assert report.slices["disputed"].tn == 1
    assert report.overall.tn == 40


def test_a_report_reproduces_byte_for_byte_apart_from_times(judge_of, make_source):
    when = datetime(2026, 11, 16, tzinfo=UTC)
    first = audit(judge_of(substring), make_source(), suite(), probes=True, now=lambda: when)
    second = audit(judge_of(substring), make_source(), suite(), probes=True, now=lambda: when + timedelta(days=1))
    assert first.audited_at != second.audited_at
    assert reproducible_bytes(first) == reproducible_bytes(second)
    assert first.latency_ms.p50 is not None


def test_isolation_is_handed_on_and_reported_as_raised(judge_of, make_source):
    judge = judge_of(last_number)
    source = make_source(extra='[sandbox]\nisolation = "batch"')
    assert audit(judge, source, suite(2, 2)).isolation == "batch"
    assert audit(judge, source, suite(2, 2), isolation=Isolation.CALL).isolation == "call"
    assert judge.isolations == [None, Isolation.CALL]


def test_progress_reaches_its_total(judge_of, make_source):
    seen = []
    audit(judge_of(last_number), make_source(), suite(3, 2), progress=lambda done, total: seen.append((done, total)))
    assert seen == [(n, 5) for n in range(1, 6)]


def test_labels_never_reach_the_verifier(judge_of, make_source):
    judge = judge_of(last_number)
    audit(judge, make_source(), suite(2, 2))
    assert all("label" not in vars(call) and "expect" not in vars(call) for call in judge.calls)


def test_probes_are_in_their_own_table_and_in_no_rate(judge_of, make_source):
    plain = audit(judge_of(substring), make_source(), suite())
    probed = audit(judge_of(substring), make_source(), suite(), probes=True)
    assert probed.overall == plain.overall
    assert (plain.grade, probed.grade) == (Grade.UNMEASURED, Grade.F), "a family that certainly fails is in F"
    assert probed.probes["leak_superstring"].failures > 0
    assert probed.slices["origin:probe"].fp > 0
    assert any(failure.origin == "probe" for failure in probed.failures)


def test_families_that_a_manifest_switches_off_are_run_and_named(judge_of, make_source):
    source = make_source(extra='[probes]\nfamilies = ["leak", "empty"]\nexclude = ["leak_sign"]')
    report = audit(judge_of(last_number), source, suite(), probes=True)
    assert "empty" in report.probes
    assert "leak_digit" in report.probes
    assert "leak_sign" in report.probes
    assert {"leak_sign", "oracle"} <= set(report.switched_off)
    assert not {"leak_digit", "empty"} & set(report.switched_off)


def test_an_unknown_family_is_refused_with_the_nearest(judge_of, make_source):
    with pytest.raises(SelectionError, match="did you mean 'leak_digit'"):
        audit(judge_of(last_number), make_source(extra='[probes]\nfamilies = ["leak_digits"]'), [], probes=True)


def test_an_author_registers_probes_of_their_own(judge_of, make_source):
    rows = [
        {"family": "roman", "task_id": "t1", "response": "II", "label": "correct"},
        {"family": "roman", "task_id": "t2", "response": "The answer is 5", "label": "incorrect"},
    ]
    source = make_source(extra='[probes]\nregister = "al_check:probes"')
    report = audit(judge_of(last_number, rows), source, suite(), probes=True)
    outcome = report.probes["author_roman"]
    assert (outcome.cases, outcome.failures, outcome.expects) == (2, 1, "mixed")


def test_cases_may_come_from_a_function_of_the_package(judge_of, make_source):
    rows = [case.model_dump(mode="json") for case in suite(3, 3)]
    report = audit(judge_of(last_number, rows), make_source(top='audit = ["al_check:cases"]'), [])
    assert (report.case_count, report.overall.tp, report.overall.tn) == (6, 3, 3)


def test_a_case_generator_that_fails_is_named(judge_of, make_source):
    with pytest.raises(CaseError, match="made no cases: row 0: audit case without label: every audit case needs one"):
        audit(
            judge_of(last_number, [{"id": "x", "task_id": "t1", "response": "2"}]),
            make_source(top='audit = ["al_check:cases"]'),
            [],
        )


def test_an_authors_probes_that_fail_are_shown_as_not_judged(judge_of, make_source):
    source = make_source(extra='[probes]\nregister = "al_check:probes"')
    report = audit(judge_of(last_number, [{"nonsense": True}]), source, suite(), probes=True)
    assert report.probes["author"].unscored == 1
    rule = report.probes["author"].rule
    assert rule.startswith("al_check:probes failed: row 0: ")
    assert "audit case with unknown key nonsense" in rule


def test_an_audit_without_cases_measures_nothing_and_says_so(judge_of, make_source):
    report = audit(judge_of(last_number), make_source(), [])
    assert report.grade is Grade.UNMEASURED
    assert report.overall.fpr.value is None
    assert "nobody knows how many are accepted" in report.power_hint


class StuckJudge:
    """Answers the first ten calls of each question and then waits for ever, as a verifier of 600 s a case seems to."""

    def __init__(self, inner):
        self.inner = inner

    async def judge(self, source, calls, *, isolation=None):
        given = 0
        async for judged in self.inner.judge(source, calls, isolation=isolation):
            if given == 10:
                await asyncio.Event().wait()
            given += 1
            yield judged

    def __getattr__(self, name):
        return getattr(self.inner, name)


def test_an_audit_ends_when_its_time_is_used_up(judge_of, make_source):
    """What is beyond is reported as not judged, and counts neither as an error nor as a change of mind."""
    stuck = StuckJudge(judge_of(last_number))
    report = audit(stuck, make_source(), suite(), repeats=2, probes=True, seconds=0.05)
    assert report.overall.unscored >= 70
    assert report.overall.fp == report.overall.fn == 0
    assert report.unscored_reasons == {"timeout": report.overall.unscored}
    assert report.determinism.flips == 0
    assert any("time was used up" in failure.error for failure in report.failures)


def test_a_timeout_of_the_judges_own_is_no_end_of_the_audit(judge_of, make_source):
    class Broken(StuckJudge):
        async def judge(self, source, calls, *, isolation=None):
            raise TimeoutError("the engine did not answer")
            yield

    with pytest.raises(TimeoutError):
        audit(Broken(judge_of(last_number)), make_source(), suite(), seconds=60)
