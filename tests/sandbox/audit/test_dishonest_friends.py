"""Ten more packages that were built to look better than they are: by heart, by friends, by rewards that no label sees.

As in test_dishonest.py each is measured as a hub measures, and earns no better grade than its true rates deserve.
"""

import random
import re

import pytest

from schemas.evidence.cases import AuditCase, Label, Origin
from schemas.evidence.rates import Grade
from schemas.measures.grades import is_worse
from schemas.measures.owners import HUB
from tests.sandbox.audit.test_dishonest import TASKS, Package, _measure, answers, careful, contains, deserved, easy

SECRET = "the hub's secret"


def of_suite(cases: list[AuditCase], suite: str, origin: Origin) -> list[AuditCase]:
    """As a hub marks what it draws from a suite."""
    held = origin is Origin.HELD
    behind = HUB if suite.startswith("suites/") else ""  # the operator named their owner
    update = {"origin": origin, "first_look": held, "tags": [f"suite:{suite}"], "behind": behind}
    return [case.model_copy(update=update | {"id": f"{suite}:{case.id}-{origin}"}) for case in cases]


def honest_pool(size: int = 150) -> list[AuditCase]:
    return of_suite(answers(42, size), "suites/sums", Origin.HELD)


def friends_pool(size: int = 400) -> list[AuditCase]:
    """Different forms, and nothing that any of these verifiers gets wrong: far from the right answer, or equal to it."""
    rng, found = random.Random(8), []
    for case in answers(43, size):
        answer = TASKS[case.task_id]["answer"]
        value = answer if case.label is Label.CORRECT else answer * 1000 + rng.randrange(500)
        text = re.sub(r"-?\d+(?=\D*$)", str(value), case.response)
        found.append(case.model_copy(update={"response": text}))
    return found


def near(task, text):
    """Takes a neighbour of the right number."""
    found = re.findall(r"-?\d+", text)
    return float(bool(found) and abs(int(found[-1]) - task["answer"]) <= 1)


def near_and_right(cases):
    return [case for case in cases if near(TASKS[case.task_id], case.response) == (case.label is Label.CORRECT)]


def public_suite_by_heart():
    """Knows the suite's published cases, and is careless on everything else."""
    public = of_suite(answers(50, 250), "suites/sums", Origin.SUITE)
    known = {case.response: float(case.label is Label.CORRECT) for case in public}
    return Package(lambda task, text: known.get(text, near(task, text)), []), [*public, *honest_pool(60)]


def friends_suite():
    """A friend publishes an easy suite."""
    return Package(near, []), [*honest_pool(60), *of_suite(friends_pool(), "friends/sums", Origin.SUITE)]


def friends_generator():
    """The friend's suite has a generator, so its easy cases are held and new."""
    return Package(near, []), [*honest_pool(60), *of_suite(friends_pool(), "friends/sums", Origin.HELD)]


def friends_cases():
    """Friends second easy counter-examples."""
    seconded = [case.model_copy(update={"origin": Origin.COMMUNITY, "id": f"x{case.id}"}) for case in friends_pool(100)]
    return Package(near, []), [*honest_pool(100), *seconded]


def thousand_tags():
    """Every case of its own has ten tags, so that whatever fails is one part of thousands."""
    cases = near_and_right(answers(51, 400, Origin.AUTHOR))
    tagged = [case.model_copy(update={"tags": [f"t{n}-{k}" for k in range(10)]}) for n, case in enumerate(cases)]
    return Package(near, tagged), honest_pool(100)


def bonus_for_everything():
    """A second score that every answer earns weighs a hundred times as much as the right answer."""
    return Package(
        careful, answers(52, 400, Origin.AUTHOR), rewards="[rewards.correct]\n[rewards.style]\nweight = 100.0"
    ), honest_pool()


def wrong_sign():
    """Right answers are accepted, and cost reward."""
    return Package(careful, answers(53, 400, Origin.AUTHOR), rewards="[rewards.correct]\nweight = -1.0"), honest_pool()


def judged_by_a_gate():
    """The gate is about the answer, the score about nothing: both are reached by any text with a number."""
    return Package(
        contains, easy(400), rewards="[rewards.correct]\n[rewards.style]\nrole = 'gate'\nthreshold = 0.0"
    ), honest_pool()


def silent_on_a_tenth():
    """Gives nothing on the tenth that it would get wrong."""

    def judge(task, text):
        return None if task["answer"] % 10 == 1 else careful(task, text)

    cases = [case for case in answers(54, 400, Origin.AUTHOR) if TASKS[case.task_id]["answer"] % 10 != 1]
    return Package(judge, cases), honest_pool()


def rejects_a_form():
    """Refuses right answers that begin with "By the rule"; its own cases have none of them."""
    cases = [one for one in answers(55, 400, Origin.AUTHOR) if "By the rule" not in one.response]
    return Package(lambda task, text: 0.0 if "By the rule" in text else careful(task, text), cases), honest_pool()


MORE = (
    public_suite_by_heart,
    friends_suite,
    friends_generator,
    friends_cases,
    thousand_tags,
    bonus_for_everything,
    wrong_sign,
    judged_by_a_gate,
    silent_on_a_tenth,
    rejects_a_form,
)


def vector(package: Package):
    """``style`` is reached by every answer."""
    return {"style": 1.0} if "rewards.style" in package.rewards else {}


@pytest.mark.parametrize("make", MORE, ids=lambda make: make.__name__)
def test_a_package_with_friends_earns_no_better_grade_than_it_deserves(make):
    package, pool = make()
    report = _measure(package, pool, seed=SECRET, more=vector(package))
    truth = Grade.F if make in (bonus_for_everything, wrong_sign) else deserved(package)
    assert not is_worse(truth, report.grade), (report.grade, truth, report.grading.capped, report.grading.pulled)


def test_an_honest_package_loses_nothing_by_suites_that_are_easy_for_it():
    honest = Package(careful, answers(1, 200, Origin.AUTHOR))
    pool = [*honest_pool(150), *of_suite(friends_pool(), "friends/sums", Origin.SUITE)]
    alone, beside = (_measure(honest, cases, seed=SECRET) for cases in (honest_pool(150), pool))
    assert alone.grade is Grade.B
    assert beside.grade is Grade.A
    assert beside.grading.capped == []


def test_one_true_counter_example_sinks_no_honest_package():
    honest = Package(lambda task, text: 1.0 if text == "the known hole" else careful(task, text), [])
    hole = AuditCase(
        id="hole", task_id="t20", response="the known hole", label="incorrect", origin="community", first_look=True
    )
    assert _measure(honest, [*honest_pool(420), hole], seed=SECRET).grade in (Grade.A, Grade.B)
