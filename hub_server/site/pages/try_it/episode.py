"""Try it for environments with a session: an episode played a message at a time, by plain forms."""

import json
from dataclasses import dataclass
from typing import Any

from hub_server.catalog.errors import TaskNotFoundError
from hub_server.errors import HubServerError, InvalidRequestError
from hub_server.execution import actions
from hub_server.site.pages.try_it.verdict_view import VerdictView, view_of_verdict
from hub_server.site.sections.package_head import PackageHead
from hub_server.web.dependencies import Transactions
from hub_server.web.problems import problem_of
from schemas.problem import Problem

MOST_SAID = 20_000  # chosen; the text area takes no more either


@dataclass(frozen=True)
class EpisodeVisit:
    """One visit: what was said so far, the transcript as it stands, or why it cannot go on."""

    said: list[str]
    transcript: actions.Conversation | None = None
    tried: VerdictView | None = None
    problem: Problem | None = None
    typed: str = ""
    """A message that could not be sent; it is kept in the form."""

    @property
    def said_json(self) -> str:
        """What was said so far, as JSON for the form's hidden field."""
        return json.dumps(self.said, ensure_ascii=False)

    @property
    def shown(self) -> list[tuple[str, str]]:
        """(who, what) of every message."""
        messages = self.transcript.messages if self.transcript else []
        return [(str(one.get("role", "")), _text(one)) for one in messages]


def take_turn(
    transactions: Transactions, head: PackageHead, task: dict[str, Any] | None, said: str, message: str, step: str
) -> EpisodeVisit:
    """Begin (nothing said), say ``message``, or (``step`` is ``judge``) judge the conversation as it stands."""
    before = _read(said)
    if task is None:
        missing = TaskNotFoundError("Choose a task of this split.")
        return EpisodeVisit(before, problem=problem_of(missing), typed=message)
    if len(message) > MOST_SAID:
        too_long = InvalidRequestError(f"A message has at most {MOST_SAID:,} characters here.")
        return EpisodeVisit(before, problem=problem_of(too_long), typed=message)
    after = [*before, message] if message.strip() and step != "judge" else before
    package, version = head.detail.card.id, head.release.version
    try:
        with transactions.reading() as work:
            target = actions.find_episode_target(work, package, version)
            rewards = actions.declared_rewards(work, package, version)
        transcript = actions.play(transactions.services, target, task, after, judge=step == "judge")
    except HubServerError as error:
        return EpisodeVisit(before, problem=problem_of(error), typed=message)
    return EpisodeVisit(
        after, transcript, view_of_verdict(transcript.verdict, rewards) if transcript.verdict is not None else None
    )


def _read(said: str) -> list[str]:
    """The hidden field; what is not a list of texts counts as nothing said."""
    try:
        data = json.loads(said or "[]")
    except (ValueError, RecursionError):
        return []
    return [one for one in data if isinstance(one, str)] if isinstance(data, list) else []


def _text(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return " ".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(content or "")
