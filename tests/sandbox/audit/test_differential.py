import asyncio
import random
from itertools import product

import pytest
from statsmodels.stats.inter_rater import cohens_kappa as other_kappa

from sandbox.audit.differential import cohens_kappa, compare_verifiers, reward_distance
from schemas.evidence.cases import AuditCase

TASKS = {f"t{n}": {"id": f"t{n}", "prompt": "?", "answer": str(n)} for n in range(40)}
CASES = [
    AuditCase(id=f"{kind}{n}", task_id=f"t{n}", response=response, label=label)
    for n in range(40)
    for kind, response, label in (("r", f"{n}", "correct"), ("p", f"{n}.", "correct"), ("w", f"{n}0", "incorrect"))
]


class TwoJudges:
    """One function a source."""

    def __init__(self, judge_of, by_digest):
        self.judges = {digest: judge_of(verify) for digest, verify in by_digest.items()}

    def judge(self, source, calls, *, isolation=None):
        return self.judges[source.digest].judge(source, calls, isolation=isolation)


def exact(call):
    return {"correct": float(call.response == call.task["answer"])}


def substring(call):
    return {"correct": float(call.task["answer"] in call.response)}


@pytest.fixture
def compared(judge_of, make_source):
    def run(first, second):
        sources = make_source(), make_source(extra="[sandbox]\ntimeout_seconds = 2")
        judge = TwoJudges(judge_of, {sources[0].digest: first, sources[1].digest: second})
        return asyncio.run(compare_verifiers(judge, *sources, CASES, tasks=TASKS, names=("al/a@1", "al/b@2")))

    return run


def test_a_verifier_agrees_with_itself(compared):
    found = compared(exact, exact)
    assert found.agreement.value == 1.0
    assert found.kappa == 1.0
    assert found.distance.value == pytest.approx(0.0, abs=1e-9)
    assert found.disagreements == []


def test_disagreements_are_listed_with_the_side_that_the_label_takes(compared):
    found = compared(exact, substring)
    assert found.counts == {"accepted/accepted": 40, "rejected/accepted": 80}
    sides = {item.case: item.sides_with for item in found.disagreements}
    assert sides["p7"] == "second"
    assert sides["w7"] == "first"
    assert len(sides) == 80
    assert found.agreement.value == pytest.approx(1 / 3)
    assert found.disagreements[0].task["answer"] == "0"


def test_what_one_could_not_judge_is_a_disagreement_and_in_no_rate(compared):
    def failing(call):
        if call.response.endswith("."):
            raise ValueError
        return exact(call)

    found = compared(exact, failing)
    assert found.counts["rejected/null"] == 40
    assert found.agreement.value == 1.0
    assert {item.sides_with for item in found.disagreements} == {"neither"}


def test_kappa_is_that_of_statsmodels():
    source = random.Random(2)
    pairs = [(source.random() < 0.6, source.random() < 0.5) for _ in range(200)] + [(True, True)] * 80
    table = [[sum(pair == (a, b) for pair in pairs) for b in (True, False)] for a in (True, False)]
    assert cohens_kappa(pairs) == pytest.approx(other_kappa(table).kappa)


def test_kappa_of_one_constant_answer_does_not_exist():
    assert cohens_kappa([(True, True)] * 5) is None
    assert cohens_kappa([]) is None


def noise(seed, count=30):
    source = random.Random(seed)
    return {f"t{n}": [source.random() for _ in range(6)] for n in range(count)}


def paired(one, two):
    return {name: list(zip(one[name], two[name], strict=True)) for name in one}


def test_shifts_and_scales_do_not_change_a_reward_function():
    one = noise(1)
    shifted = {name: [3 * value + index for value in values] for index, (name, values) in enumerate(one.items())}
    assert reward_distance(paired(one, shifted)).value == pytest.approx(0.0, abs=1e-7)


def test_opposite_preferences_are_at_distance_one_and_unrelated_ones_at_the_middle():
    one = noise(1)
    turned = {name: [-value for value in values] for name, values in one.items()}
    assert reward_distance(paired(one, turned)).value == pytest.approx(1.0)
    unrelated = reward_distance(paired(noise(1, 300), noise(2, 300)))
    assert unrelated.low < 0.5**0.5 < unrelated.high


def test_a_reward_that_prefers_nothing_is_at_one_half():
    flat = {name: [1.0] * 6 for name in noise(1)}
    assert reward_distance(paired(noise(1), flat)).value == 0.5
    assert reward_distance(paired(flat, flat)).value == 0.0


def test_the_distance_obeys_the_triangle_inequality():
    functions = [noise(seed, count=4) for seed in range(5)]
    distances = [[reward_distance(paired(a, b)).value for b in functions] for a in functions]
    for a, b, c in product(range(5), repeat=3):
        assert distances[a][c] <= distances[a][b] + distances[b][c] + 1e-9


def test_one_response_a_task_says_nothing_of_preferences():
    assert reward_distance({f"t{n}": [(1.0, 0.0)] for n in range(9)}) is None


def test_counts_and_digest_say_what_was_compared(compared):
    found = compared(exact, substring)
    assert (found.judged, found.agreed, found.disagreement_count) == (120, 40, 80)
    assert found.suite_digest.startswith("sha256:")


@pytest.mark.parametrize("size", [1.0, 1e-200, 1e200])
def test_the_same_preferences_on_a_few_tasks_are_no_proof(size):
    few = reward_distance({str(task): [(0.0, 0.0), (size, size)] for task in range(5)})
    many = reward_distance({str(task): [(0.0, 0.0), (size, size)] for task in range(500)})
    assert few.value == few.low == many.value == pytest.approx(0, abs=1e-7)
    assert few.high > 0.5
    assert 0 < many.high < 0.1
    opposite = reward_distance({str(task): [(0.0, size), (size, 0.0)] for task in range(5)})
    assert (opposite.value, opposite.high) == (pytest.approx(1), pytest.approx(1))
    assert opposite.low < 0.9
