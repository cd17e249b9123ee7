import pytest

from sandbox.models.budget import BudgetSpentError, JudgeBudget, JudgeLimits, Prices


def test_model_calls_are_counted_up_to_the_limit() -> None:
    budget = JudgeBudget(JudgeLimits(calls=2, tokens=1000))
    for _ in range(2):
        budget.settle(budget.hold(10, 10), 7, 3)
    with pytest.raises(BudgetSpentError, match="2 model calls"):
        budget.hold(1, 1)
    used = budget.used("m")
    assert (used.calls, used.prompt_tokens, used.completion_tokens) == (2, 14, 6)


def test_model_calls_under_way_hold_what_they_may_take() -> None:
    budget = JudgeBudget(JudgeLimits(calls=10, tokens=100))
    held = budget.hold(30, 30)
    with pytest.raises(BudgetSpentError, match="100 tokens"):
        budget.hold(30, 30)
    budget.settle(held, 5, 5)
    budget.hold(30, 30)


def test_a_question_that_is_not_asked_gives_its_share_back() -> None:
    budget = JudgeBudget(JudgeLimits(calls=1, tokens=100))
    budget.release(budget.hold(60, 40))
    budget.hold(60, 40)


def test_cost_is_counted_by_price_and_limited() -> None:
    budget = JudgeBudget(JudgeLimits(calls=10, tokens=10**9, cost=1.0), Prices(prompt=1.0, completion=10.0))
    budget.settle(budget.hold(200_000, 50_000), 200_000, 50_000)
    assert budget.used("m").cost == pytest.approx(0.7)
    with pytest.raises(BudgetSpentError, match="limit of 1 for"):
        budget.hold(200_000, 20_000)
    budget.hold(200_000, 10_000)
