"""Episodes judged on their messages: only the assistant's messages may count, and an answer must be given at all."""

from collections.abc import Iterator
from random import Random
from typing import Any

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Example, Material, asked, lacks_answer

_SILENCE = "I do not know."


def _answered(material: Material) -> Iterator[tuple[Example, list[dict[str, Any]]]]:
    """Right conversations that end in their answer, and what the assistant says before that."""
    for item in material.stated:
        messages = item.messages or []
        if item.response is None and messages and messages[-1].get("role") == "assistant":
            yield item, messages[:-1]


def _cut(material: Material, random: Random) -> Iterator[Draft]:
    """The conversation without its last message, when nobody gave the answer before it."""
    del random
    for item, before in _answered(material):
        if all(lacks_answer(item.task, str(message.get("content") or "")) for message in before):
            yield Draft(item.task, messages=[*before, {"role": "assistant", "content": ""}])


def _said_by_others(material: Material, random: Random) -> Iterator[Draft]:
    """The answer stands in a user's or a tool's message; the assistant declines."""
    for item, _ in _answered(material):
        if item.text is None or not lacks_answer(item.task, _SILENCE):
            continue
        role = random.choice(("user", "tool"))
        said = {"role": role, "content": item.text} | ({"tool_call_id": "call_0"} if role == "tool" else {})
        messages = [*asked(item.task), said, {"role": "assistant", "content": _SILENCE}]
        yield Draft(item.task, messages=messages, note=f"said by the {role}")


FAMILIES = (
    Family(
        name="leak_unfinished",
        expects="incorrect",
        rule="a conversation that ends before the answer was given does not give it",
        make=_cut,
    ),
    Family(
        name="leak_said_by_others",
        expects="incorrect",
        rule="what the user or a tool says is not the assistant's answer, and the assistant says that it has none",
        make=_said_by_others,
    ),
)
