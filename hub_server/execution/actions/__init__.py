"""What can be executed: tasks generated, responses judged, episodes played."""

from hub_server.execution.actions.playing import Game, play
from hub_server.execution.actions.scoring import judge, judge_one, score_stream
from hub_server.execution.actions.sessions import Episode, session_release
from hub_server.execution.actions.targets import (
    ScoringTarget,
    declared_rewards,
    executable_release,
    scoring_target,
)
from hub_server.execution.actions.tasks import TaskStream, list_tasks, read_tasks, task_stream
from hub_server.execution.actions.tools import has_tools, served_tools

__all__ = [
    "Episode",
    "Game",
    "ScoringTarget",
    "TaskStream",
    "declared_rewards",
    "executable_release",
    "has_tools",
    "judge",
    "judge_one",
    "list_tasks",
    "play",
    "read_tasks",
    "score_stream",
    "scoring_target",
    "served_tools",
    "session_release",
    "task_stream",
]
