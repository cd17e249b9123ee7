"""A difference of two runs' numbers is given only where its interval means something."""

from typing import Any

import pytest

from hub_server.runs.rules.comparison import compared_rows
from schemas.manifest import RewardDeclaration
from schemas.run import PinnedPackage, RewardChange, Run, RunOutcome
from tests.hub_server.site.pages.run.test_charts import run

PIN = PinnedPackage(package="alice/sums", version="1.0.0", digest="sha256:" + "0" * 64)
CHANGE = RewardChange(before=0.2, before_low=0.1, before_high=0.3, after=0.5, after_low=0.4, after_high=0.6, tasks=50)
BETTER = CHANGE.model_copy(update={"after": 0.9, "after_low": 0.85, "after_high": 0.93})


def outcome(rate: float, **more: Any) -> RunOutcome:
    given = {"environment": "alice/sums", "version": "1.0.0", "harness": "h", "task_count": 100, "attempts": 100,
             "successes": round(100 * rate), "pass_rate": rate, "tries": 100.0}  # fmt: skip
    return RunOutcome(**{**given, **more})


def test_rewards_after_training_differ_with_an_interval_where_the_packages_are_the_same() -> None:
    runs = [run(packages=[PIN], summary={"reward": CHANGE}), run(packages=[PIN], summary={"reward": BETTER})]
    (row,) = compared_rows(runs)
    assert row.sides[0].difference is None
    found = row.sides[1].difference
    assert found is not None
    assert found.value == pytest.approx(0.4)
    assert 0.25 < found.low < 0.35, "hypot(0.05, 0.1) below"
    assert 0.45 < found.high < 0.55


@pytest.mark.parametrize("other", [[], [PIN.model_copy(update={"digest": "sha256:" + "1" * 64})]])
def test_on_other_packages_no_difference_is_given_and_why(other: list[PinnedPackage]) -> None:
    runs = [run(packages=[PIN], summary={"reward": CHANGE}), run(packages=other, summary={"reward": BETTER})]
    (row,) = compared_rows(runs)
    assert row.sides[1].difference is None
    assert "other packages" in row.why_not


def test_runs_that_pinned_nothing_are_not_taken_for_runs_on_the_same_packages() -> None:
    (row,) = compared_rows([run(packages=[], summary={"reward": CHANGE}), run(packages=[], summary={"reward": BETTER})])
    assert row.sides[1].difference is None
    assert "no package" in row.why_not


def test_means_of_an_older_hub_whose_difference_is_no_number_have_none() -> None:
    """One such run was a fault of the hub for whoever compared it."""
    large = {"after": 1.7e308, "after_low": 1.6e308, "after_high": 1.7e308}
    low = {"after": -1.7e308, "after_low": -1.7e308, "after_high": -1.6e308}
    runs = [run(packages=[PIN], summary={"reward": CHANGE.model_copy(update=each)}) for each in (large, low)]
    (row,) = compared_rows(runs)
    assert row.sides[1].difference is None
    assert row.model_dump_json()


def test_a_sum_is_compared_where_it_has_the_same_weights_and_its_rewards_all_the_same() -> None:
    def of(change: RewardChange, weight: float) -> Run:
        rewards = {"correct": RewardDeclaration(weight=weight), "brief": RewardDeclaration()}
        return run(packages=[PIN], rewards=rewards, summary={"reward": change, "correct": change})

    total, correct = compared_rows([of(CHANGE, 1.0), of(BETTER, 0.1)])
    assert total.sides[1].difference is None
    assert total.why_not == "the runs weigh their rewards differently"
    assert correct.sides[1].difference is not None
    assert compared_rows([of(CHANGE, 0.1), of(BETTER, 0.1)])[0].sides[1].difference is not None


def test_pass_rates_are_compared_on_the_same_release_and_harness_alone() -> None:
    def of(*outcomes: RunOutcome) -> Run:
        return run(kind="evaluation", outcomes=list(outcomes))

    runs = [of(outcome(0.5), outcome(0.1, harness="g")), of(outcome(0.7), outcome(0.9, version="1.1.0"))]
    (row,) = compared_rows(runs)
    assert "1.0.0, h" in row.name
    found = row.sides[1].difference
    assert found is not None
    assert found.value == pytest.approx(0.2)
    assert found.low == pytest.approx(0.065, abs=0.01), "Newcombe's method 10 for 50 and 70 of 100"
    assert found.high == pytest.approx(0.327, abs=0.01)
