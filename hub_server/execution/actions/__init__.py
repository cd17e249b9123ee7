"""What can be executed: tasks generated, responses judged, episodes played."""

from hub_server.execution.actions.episode import Conversation, EpisodeTarget, find_episode_target, play
from hub_server.execution.actions.sessions import LiveEpisode, session_release
from hub_server.execution.actions.targets import (
    ScoringTarget,
    declared_rewards,
    executable_release,
    scoring_target,
)
from hub_server.execution.actions.tasks import TaskRange, read_lines, read_tasks, task_stream
from hub_server.execution.actions.tools import has_tools, served_tools, with_first_task
from hub_server.execution.actions.verdicts import judge_one, judge_within, judged_lists, score_stream

__all__ = [
    "Conversation",
    "EpisodeTarget",
    "LiveEpisode",
    "ScoringTarget",
    "TaskRange",
    "declared_rewards",
    "executable_release",
    "find_episode_target",
    "has_tools",
    "judge_one",
    "judge_within",
    "judged_lists",
    "play",
    "read_lines",
    "read_tasks",
    "score_stream",
    "scoring_target",
    "served_tools",
    "session_release",
    "task_stream",
    "with_first_task",
]
