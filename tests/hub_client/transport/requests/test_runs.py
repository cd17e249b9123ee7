"""Requests about runs, as values."""

from hub_client.transport.requests.runs import log_rollouts
from schemas.run import RolloutRow

ROW = RolloutRow(step=0, task_id="tea", response="tea is warm.", rewards={"topic": 1.0})


def test_the_same_rows_sent_again_have_the_same_key() -> None:
    assert log_rollouts("a", [ROW]).headers["Idempotency-Key"] == log_rollouts("a", [ROW]).headers["Idempotency-Key"]


def test_two_runs_from_one_seed_do_not_share_a_key() -> None:
    assert log_rollouts("a", [ROW]).headers["Idempotency-Key"] != log_rollouts("b", [ROW]).headers["Idempotency-Key"]
