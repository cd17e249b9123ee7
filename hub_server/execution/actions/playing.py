"""Play an episode by hand, a message at a time: what was said so far is replayed in a fresh box, so nothing is kept."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hub_server.errors import InvalidRequestError
from hub_server.execution.actions.scoring import judge_one
from hub_server.execution.actions.sessions import session_release
from hub_server.execution.actions.targets import scoring_target
from hub_server.work import Work
from schemas.verdict import ScoreRequest, Verdict

MOST_TURNS = 40


@dataclass(frozen=True)
class Game:
    """A conversation as it stands. ``verdict`` once it is over, or when somebody asked for one."""

    messages: list[dict[str, Any]]
    tools: list[str] = field(default_factory=list)
    is_over: bool = False
    verdict: Verdict | None = None


def play(
    work: Work, package_id: str, version: str, task: dict[str, Any], said: Sequence[str], *, judge: bool = False
) -> Game:
    """Reset, say everything in ``said``, and judge what came of it where it is over or ``judge`` asks for it.

    A session does the same for the same seed and messages, so replaying is going on. Needs an account, because an
    episode holds a box; raises ``NothingToExecuteError`` for a package without a session.
    """
    if len(said) > MOST_TURNS:
        raise InvalidRequestError(f"An episode can be played here for {MOST_TURNS} messages: start again.")
    release = session_release(work, package_id, version)
    target = scoring_target(work, package_id, version)
    with work.parts.executor.session(release, task, seed=0) as session:
        opened = session.reset()
        messages = list(opened.get("messages") or [])
        is_over = False
        for text in said:
            if is_over:
                break
            message = {"role": "assistant", "content": text}
            answer = session.step(message)
            messages += [message, *(answer.get("messages") or [])]
            is_over = bool(answer.get("done"))
        state = session.state() if is_over or judge else None
    verdict = None
    if is_over or judge:
        verdict = judge_one(work.parts, target, ScoreRequest(id="play", task=task, messages=messages, state=state))
    return Game(messages, [_tool_name(tool) for tool in opened.get("tools") or []], is_over, verdict)


def _tool_name(tool: Any) -> str:
    function = tool.get("function", {}) if isinstance(tool, dict) else {}
    return str(function.get("name", "a tool"))
