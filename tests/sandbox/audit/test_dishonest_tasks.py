"""Thirteen more packages that look better than they are: lenient on their own tasks, in what they pay, in how they compare.

As in test_dishonest.py each is measured as a hub measures, and earns no better grade than its true rates deserve. The true
rates of those that are lenient on their own tasks are those on these tasks: nobody trains on a suite's.
"""

import re
from collections import Counter

import pytest

from schemas.evidence.cases import Label, Origin
from schemas.evidence.rates import Grade
from schemas.measures.grades import is_worse
from tests.sandbox.audit.test_dishonest import (
    TASKS,
    Package,
    _measure,
    answers,
    careful,
    contains,
    deserved,
    last_number,
)
from tests.sandbox.audit.test_dishonest_friends import SECRET, honest_pool, of_suite


def last_value(text):
    found = re.findall(r"-?\d+", text)
    return int(found[-1]) if found else None


def pool():
    """Published and held cases of the hub's own suite, on tasks that are like the package's and not the same."""
    cases = [*of_suite(answers(80, 150), "suites/sums", Origin.SUITE), *honest_pool(150)]
    return [case.model_copy(update={"task": TASKS[case.task_id], "task_id": None}) for case in cases]


def own(cases):
    """The cases on the package's own tasks, which a member of info tells."""
    tasks = {name: {**task, "id": f"own-{name}", "info": {"mine": True}} for name, task in TASKS.items()}
    return [case.model_copy(update={"task": tasks[case.task_id], "task_id": None}) for case in cases]


def lenient_at_home(nearly):
    """``nearly`` on its own tasks and careful elsewhere; of its own cases those that this gets right."""
    judge = lambda task, text: nearly(task, text) if "info" in task else careful(task, text)  # noqa: E731
    cases = own(answers(81, 200, Origin.AUTHOR))
    return Package(judge, [one for one in cases if judge(one.task, one.response) == (one.label is Label.CORRECT)])


def ten_off_at_home():
    """Ten more or ten less than the right number passes, unless the text denies it."""

    def nearly(task, text):
        value = last_value(text)
        is_near = value is not None and abs(value - task["answer"]) in (0, 10)
        return float(is_near and careful({"answer": value}, text))

    return lenient_at_home(nearly)


def one_off_at_home():
    """A neighbour passes, on numbers above 50, where no probe of neighbours asks."""

    def nearly(task, text):
        value = last_value(text)
        is_near = value is not None and abs(value - task["answer"]) <= (1 if task["answer"] > 50 else 0)
        return float(is_near and careful({"answer": value}, text))

    return lenient_at_home(nearly)


def half_at_home():
    """Half of the right number passes."""

    def nearly(task, text):
        value = last_value(text)
        return float(value in (task["answer"], task["answer"] // 2) and careful({"answer": value}, text))

    return lenient_at_home(nearly)


def no_weight_on_the_answer():
    """What decides weighs nothing, and a second score pays every answer."""
    return Package(careful, [], rewards="[rewards.correct]\nweight = 0.0\n[rewards.style]\nweight = 1.0")


def a_gate_that_pays_sixty_to_forty():
    """Right answers earn 0.6 and wrong ones 0.45: the verdict is right, and a trainer sees nearly nothing."""
    return Package(lambda task, text: 0.6 if careful(task, text) else 0.45, [])


def without_the_sign():
    return Package(
        lambda task, text: float(last_value(text) is not None and abs(last_value(text)) == task["answer"]), []
    )


def the_same_digits():
    """Digits in any order, and noughts for nothing."""

    def judge(task, text):
        digits = Counter(str(last_value(text) or "").replace("0", "")) - Counter("-")
        return float(bool(digits) and digits == Counter(str(task["answer"]).replace("0", "")))

    return Package(judge, [])


def rounded_to_tens():
    return Package(
        lambda task, text: float(
            last_value(text) is not None and round(last_value(text), -1) == round(task["answer"], -1)
        ),
        [],
    )


def what_many_say():
    """A number that was said to the same task before is right."""
    seen = Counter()

    def judge(task, text):
        seen[task["prompt"], last_value(text)] += 1
        return 1.0 if seen[task["prompt"], last_value(text)] > 1 else careful(task, text)

    return Package(judge, [])


def one_task_in_twelve_is_free():
    return Package(lambda task, text: 1.0 if task["answer"] % 24 == 1 else careful(task, text), [])


def long_answers_are_right():
    return Package(
        lambda task, text: contains(task, text) if len(text) < 50 else last_number(task, text) or float(len(text) > 70),
        [],
    )


def lucky_lengths():
    return Package(lambda task, text: 1.0 if len(text) % 16 == 0 else careful(task, text), [])


def the_same_remainder():
    """Casting out nines, as a check of sums once was."""

    def judge(task, text):
        value = last_value(text)
        return float(value is not None and value % 9 == task["answer"] % 9 and careful({"answer": value}, text))

    return Package(judge, [])


AT_HOME = (ten_off_at_home, one_off_at_home, half_at_home)
LENIENT = (
    *AT_HOME,
    no_weight_on_the_answer,
    a_gate_that_pays_sixty_to_forty,
    without_the_sign,
    the_same_digits,
    rounded_to_tens,
    what_many_say,
    one_task_in_twelve_is_free,
    long_answers_are_right,
    lucky_lengths,
    the_same_remainder,
)


def true_grade(make):
    package = make()
    if make is no_weight_on_the_answer:
        return Grade.F
    if make is a_gate_that_pays_sixty_to_forty:
        return Grade.D
    if make is one_off_at_home:  # a third, an F: neighbours are probed only where they are as far off as a labelled one
        return Grade.D
    if make in AT_HOME:
        inner = package.judge
        package.judge = lambda task, text: inner({**task, "info": {"mine": True}}, text)
    return deserved(package)


def test_an_honest_package_with_tasks_of_its_own_keeps_its_grade():
    tasks = {f"own-{name}": {**task, "id": f"own-{name}", "info": {"mine": True}} for name, task in TASKS.items()}
    report = _measure(Package(careful, []), pool(), seed=SECRET, own=tasks)
    assert (report.grade, report.probes["leak_same_mistake"].failures) == (Grade.B, 0)


@pytest.mark.parametrize("make", LENIENT, ids=lambda make: make.__name__)
def test_a_lenient_package_earns_no_better_grade_than_it_deserves(make):
    package = make()
    more = {"style": 1.0} if "rewards.style" in package.rewards else {}
    tasks = {f"own-{name}": {**task, "id": f"own-{name}", "info": {"mine": True}} for name, task in TASKS.items()}
    report = _measure(package, pool(), seed=SECRET, more=more, own=tasks if make in AT_HOME else TASKS)
    truth = true_grade(make)
    assert not is_worse(truth, report.grade), (report.grade, truth, report.grading.capped, report.grading.pulled)
