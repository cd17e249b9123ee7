"""A wrong answer as an environment brings it: another form of task, a conversation and thinking, all at once.

Other families change one thing each. A verifier could be careful wherever one thing differs from a suite, and lenient
where two do: thinking below a system message is what most runs bring.
"""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

from sandbox.audit.probes import leak_task_id, prose, surroundings
from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.leak_task_form import in_other_forms
from sandbox.audit.probes.material import Example, Material, asked, is_like_answer, lacks_answer

_TASKS = ("", "a long prompt", "a chat with a long system message", "everything")
"""Forms of the task; the first is as it was."""
_ALL_MEMBERS = ("more members", "tags and a split")
_SENTENCES = (8, 200)
_BEGIN, _END = "## Answer\n\n- Looked at.\n- Checked.\n\n```\nnothing\n```\n\n", "\n\n\u2014\n<|im_end|>"
_EACH = 2


def make(material: Material, random: Random) -> Iterator[Draft]:
    """Every form of a task with every form of a response and of a conversation, of what this verifier rejects."""
    for item, text in surroundings.wrong_responses(material):
        if item.messages is not None:
            continue
        for form, task in _tasks(item, random):
            for words, said in _responses(item, text, random):
                for turns, messages in _conversations(task, said, random):
                    way = ", ".join(filter(None, (form, words, turns)))
                    if way in {form, words, turns}:  # one thing alone: other families ask that
                        continue
                    one = Draft(task, said) if messages is None else Draft(task, messages=messages)
                    yield replace(one, way=way)


def _tasks(item: Example, random: Random) -> Iterator[tuple[str, dict[str, Any]]]:
    forms = in_other_forms(item.task, random)
    for name in _TASKS:
        if name == "everything":
            changed = {key: value for one in _ALL_MEMBERS for key, value in forms.get(one, {}).items()}
            changed |= forms.get("a chat with a long system message", {}) | {"id": leak_task_id.a_uuid(random)}
            yield name, item.task | changed
        elif not name or name in forms:
            yield name, item.task | forms.get(name, {})


def _responses(item: Example, text: str, random: Random) -> Iterator[tuple[str, str]]:
    """Name -> what is said: as it was, behind thinking, and with marks around it too."""
    yield "", text
    thought = prose.prose(random, surroundings.any_length(random, *_SENTENCES))
    if not lacks_answer(item.task, thought) or is_like_answer(item.task, thought):
        return
    behind = f"<think>\n{thought}\n</think>\n\n{text}"
    yield "thinking", behind
    marked = f"<think>\n{thought}\n</think>\n\n{_BEGIN}{text}{_END}"
    if (
        lacks_answer(item.task, marked)
        and not is_like_answer(item.task, marked)
        and (item.answer is None or item.answer.kind != "truth")
    ):
        yield "thinking and marks", marked


def _conversations(
    task: dict[str, Any], said: str, random: Random
) -> Iterator[tuple[str, list[dict[str, Any]] | None]]:
    """Name -> messages; None: the response alone."""
    yield "", None
    for name, between in (("turns", surroundings.turns), ("a tool and turns", _tool_and_turns)):
        yield name, [*_with_system(asked(task)), *between(random), {"role": "assistant", "content": said}]


def _tool_and_turns(random: Random) -> list[dict[str, Any]]:
    return [*surroundings.used_tool(random), *surroundings.turns(random)]


def _with_system(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    has_one = bool(messages) and messages[0].get("role") == "system"
    return messages if has_one else [{"role": "system", "content": surroundings.SYSTEM}, *messages]


FAMILY = Family(
    name="leak_together",
    expects="incorrect",
    rule="a wrong answer does not become right behind thinking, below a system message and after turns at once",
    make=make,
    most=_EACH * 28,
)
