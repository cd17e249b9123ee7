"""Plays an episode by hand, one message at a time. The transcript is replayed in a fresh box, so nothing is stored."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hub_server.errors import InvalidRequestError
from hub_server.execution.actions.sessions import session_release
from hub_server.execution.actions.targets import ScoringTarget, scoring_target
from hub_server.execution.actions.verdicts import judge_one
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ports.executor import ExecutableRelease
from schemas.verdict import ScoreRequest, Verdict

MOST_TURNS = 40  # chosen, not measured


@dataclass(frozen=True)
class Conversation:
    """The conversation so far. ``verdict``: once the episode is over, or when one was asked for."""

    messages: list[dict[str, Any]]
    tools: list[str] = field(default_factory=list)
    is_over: bool = False
    verdict: Verdict | None = None


@dataclass(frozen=True)
class EpisodeTarget:
    """The release whose session is played, and what judges it. Usable after the transaction that found it."""

    release: ExecutableRelease
    judge: ScoringTarget


def find_episode_target(work: UnitOfWork, package_id: str, version: str) -> EpisodeTarget:
    """Needs an account, because an episode holds a box. Raises ``NothingToExecuteError`` without a session."""
    return EpisodeTarget(session_release(work, package_id, version), scoring_target(work, package_id, version))


def play(
    services: Services, target: EpisodeTarget, task: dict[str, Any], said: Sequence[str], *, judge: bool = False
) -> Conversation:
    """Reset the session, send everything in ``said``, and judge it where it is over or ``judge`` asks for it.

    A session does the same for the same seed and messages, so replaying continues it. Call it outside any transaction.
    """
    if len(said) > MOST_TURNS:
        raise InvalidRequestError(f"An episode played here ends after {MOST_TURNS} messages: start a new one.")
    with services.executor.session(target.release, task, seed=0) as session:
        opened = session.reset()
        messages = _messages_of(opened, "reset()")
        is_over = False
        for text in said:
            if is_over:
                break
            message = {"role": "assistant", "content": text}
            answer = session.step(message)
            messages += [message, *_messages_of(answer, "step()")]
            is_over = bool(answer.get("done"))
        state = session.state() if is_over or judge else None
    verdict = None
    if is_over or judge:
        verdict = judge_one(services, target.judge, ScoreRequest(id="play", task=task, messages=messages, state=state))
    tools = opened.get("tools")
    return Conversation(
        messages, [_tool_name(tool) for tool in tools] if isinstance(tools, list) else [], is_over, verdict
    )


def _messages_of(answer: dict[str, Any], what: str) -> list[dict[str, Any]]:
    """What the package's code said. Raises ``InvalidRequestError`` for what is no conversation."""
    messages = answer.get("messages") or []
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        raise InvalidRequestError(f'This cannot be played: the session\'s {what} must return {{"messages": [{{…}}]}}.')
    return messages


def _tool_name(tool: Any) -> str:
    function = tool.get("function") if isinstance(tool, dict) else None
    return str(function.get("name", "a tool")) if isinstance(function, dict) else "a tool"
