"""What can be done with runs: create, report to, read; one module a subject."""

from hub_server.runs.actions.comparison import compare_runs
from hub_server.runs.actions.difficulty import (
    follow_hidden_account,
    list_pass_rates,
    measure_difficulty,
    note_difficulty,
)
from hub_server.runs.actions.metrics import get_metrics, log_metrics
from hub_server.runs.actions.rollouts import get_rollout, list_rollouts, log_rollouts, newest_rollouts
from hub_server.runs.actions.room import words_of_room
from hub_server.runs.actions.run_rows import own_run
from hub_server.runs.actions.runs import count_runs_with, create_run, get_run, list_runs, update_run
from hub_server.runs.actions.task_rates import TaskRate, list_task_rates

__all__ = [
    "TaskRate",
    "compare_runs",
    "count_runs_with",
    "create_run",
    "follow_hidden_account",
    "get_metrics",
    "get_rollout",
    "get_run",
    "list_pass_rates",
    "list_rollouts",
    "list_runs",
    "list_task_rates",
    "log_metrics",
    "log_rollouts",
    "measure_difficulty",
    "newest_rollouts",
    "note_difficulty",
    "own_run",
    "update_run",
    "words_of_room",
]
