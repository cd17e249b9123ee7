"""A right answer to the same task, asked otherwise: under another id, with a longer prompt, as a chat.

Suites write their tasks alike. A verifier could refuse whatever is asked in another way, and have no error on a suite.
"""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

from sandbox.audit.probes import leak_task_form, leak_task_id, surroundings
from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material, asked

_FORMS = ("a long prompt", "another language", "a chat", "a chat with a system message", "tags and a split")
_IDS = ("a number", "of training", "words", "a UUID")
_EACH = 2


def make(material: Material, random: Random) -> Iterator[Draft]:
    """Only others' tasks, which no verifier can look up by their id, and where one reward about the answer decides."""
    for item, text in surroundings.right_responses(material) if material.judges_only_the_answer else ():
        if not item.is_others or item.messages is not None or item.answer is None or item.answer.value is None:
            continue
        changed = leak_task_form.in_other_forms(item.task, random)
        name = str(item.task.get("id"))  # each draft has another one, or some would be equal
        ways: dict[str, dict[str, Any]] = {
            way: changed[way] | {"id": leak_task_form.another_id(name, random)} for way in _FORMS if way in changed
        }
        ways |= {f"an id: {way}": {"id": leak_task_id.FORMS[way](random)} for way in _IDS}
        for way, members in ways.items():
            yield replace(item.saying(text, way=way), task=item.task | members)
        system = {"role": "system", "content": surroundings.SYSTEM}
        messages = [system, *asked(item.task), {"role": "assistant", "content": text}]
        yield Draft(item.task, messages=messages, way="a system message")


FAMILY = Family(
    name="benign_asked",
    expects="correct",
    rule="a right answer stays right when its task has another id, a longer prompt, or is asked in a chat",
    make=make,
    most=_EACH * (len(_FORMS) + len(_IDS) + 1),
)
