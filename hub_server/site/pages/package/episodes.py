"""Labelled episodes as the page of an environment shows them: turns and calls, each on lines of its own. Pure.

What these functions read was written by strangers. None of them raises, whatever JSON it gets.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hub_server.audits.actions import EpisodeExample
from hub_server.site.rendering.texts import both_ends, prompt_text, setting_text
from schemas.evidence.cases import Label
from schemas.manifest import RewardDeclaration
from schemas.texts import message_text
from schemas.tool import parsed_arguments

MOST_TURNS = 24
_MOST_TEXT = 300
_WHO = {"user": "environment", "assistant": "model", "tool": "tool", "system": "system"}
_NAMES = ("name", "call", "tool", "function")
"""Where an act of an end state names the tool that was called."""


@dataclass(frozen=True)
class ShownTurn:
    """One message or act. ``calls``: ``name(argument=value)``, one each."""

    who: str
    text: str = ""
    calls: tuple[str, ...] = ()


@dataclass(frozen=True)
class EpisodeView:
    """One labelled episode beside its verdict."""

    is_right: bool
    turns: list[ShownTurn]
    left_out: int
    """Turns beyond those shown."""
    is_transcript: bool
    """False: the case has the end state alone, so what the environment said is not in it."""
    rewards: Mapping[str, float | None]
    """What the verifier returned where it was wrong, else what the label asks for."""
    is_wrong: bool
    """The verifier contradicts the label."""
    verdict: str
    note: str
    name: str

    def declared(self, rewards: Mapping[str, RewardDeclaration]) -> dict[str, RewardDeclaration]:
        """The declared rewards that the episode has a value for: a label may name some alone."""
        return {name: reward for name, reward in rewards.items() if name in self.rewards}


def view_of_episode(example: EpisodeExample) -> EpisodeView:
    """An episode for the page."""
    case, failure = example.case, example.failure
    turns = _with_prompt(example, _of_messages(case.messages) if case.messages else _of_state(case.state or {}))
    is_right = case.label is Label.CORRECT
    return EpisodeView(
        is_right=is_right,
        turns=turns[:MOST_TURNS],
        left_out=max(0, len(turns) - MOST_TURNS),
        is_transcript=bool(case.messages),
        rewards=failure.got if failure is not None else (case.expect or {}),
        is_wrong=failure is not None and failure.kind != "unscored",
        verdict=_verdict(example, is_right=is_right),
        note=both_ends(case.note, 300, 100),
        name=case.id,
    )


def _verdict(example: EpisodeExample, *, is_right: bool) -> str:
    shown = " The rewards are those that the label asks for." if example.case.expect else ""
    if not example.is_measured:
        return f"Not measured yet.{shown}"
    if example.failure is None:
        return f"The audit: {'accepted' if is_right else 'rejected'}, as labelled.{shown}"
    if example.failure.kind == "unscored":
        return "The audit: could not be judged."
    return "The audit: the verifier is wrong here. The rewards are those that it gave."


def _with_prompt(example: EpisodeExample, turns: list[ShownTurn]) -> list[ShownTurn]:
    """What the task asks comes first, unless the messages begin with it."""
    asked = example.case.messages and example.case.messages[0].get("role") in ("user", "system")
    text = "" if asked or example.prompt is None else prompt_text({"prompt": example.prompt})
    return [ShownTurn("task", both_ends(text, 400, 200)), *turns] if text else turns


def _of_messages(messages: Iterable[Mapping[str, Any]]) -> list[ShownTurn]:
    turns = []
    for message in messages:
        role = setting_text(message.get("role") or "")
        calls = message.get("tool_calls")
        named = tuple(_call(one) for one in calls[:MOST_TURNS]) if isinstance(calls, list) else ()
        name = message.get("name")
        who = f"{_WHO.get(role, _cut(role))} {_cut(name)}" if isinstance(name, str) else _WHO.get(role, _cut(role))
        turns.append(ShownTurn(who, _cut(message_text(message)), named))
    return turns


def _of_state(state: Mapping[str, Any]) -> list[ShownTurn]:
    """An end state: every item of its lists is an act, anything else a fact about how it ended."""
    acts, facts = [], []
    for key, value in state.items():
        if isinstance(value, list) and value:
            acts += [_act(_cut(key), item) for item in value]
        else:
            facts.append(ShownTurn(f"end: {_cut(key)}", _cut(setting_text(value))))
    return [*acts, *facts]


def _act(key: str, item: object) -> ShownTurn:
    if not isinstance(item, Mapping):
        return ShownTurn(f"model: {key}", _cut(setting_text(item)))
    if isinstance(item.get("arguments"), Mapping):
        return ShownTurn("model", calls=(_call(item),))
    calls = item.get("calls")
    named = tuple(_call(one) for one in calls[:MOST_TURNS]) if isinstance(calls, list) else ()
    rest = [setting_text(value) for name, value in item.items() if not (named and name == "calls")]
    return ShownTurn("model", _cut("\n".join(one for one in rest if one)), named)


def _call(call: object) -> str:
    """``name(argument=value, …)``, from OpenAI's shape of a call or a plain one."""
    inner = call.get("function") if isinstance(call, Mapping) else None
    made = inner if isinstance(inner, Mapping) else call
    if not isinstance(made, Mapping):
        return _cut(setting_text(made))
    name = next((made[key] for key in _NAMES if isinstance(made.get(key), str)), "")
    arguments = parsed_arguments(made.get("arguments"))
    if isinstance(arguments, Mapping):
        arguments = ", ".join(f"{key}={setting_text(value)}" for key, value in arguments.items())
    return _cut(f"{name or 'call'}({'' if arguments is None else setting_text(arguments)})")


def _cut(text: str) -> str:
    return both_ends(text, _MOST_TEXT, _MOST_TEXT // 2)
