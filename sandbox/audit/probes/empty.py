"""Empty responses, or only white space."""

from collections.abc import Iterator
from random import Random

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material

_TEXTS = ("", " ", "\n", "\t \r\n", "\u200b", "\u00a0")


def make(material: Material, random: Random) -> Iterator[Draft]:
    """Every kind of empty response, over different tasks: as a response, as an assistant's only message, as a state."""
    for item in material.examples:
        if item.messages is not None and item.response is None:
            asked = [message for message in item.messages if message.get("role") in ("system", "user")]
            yield Draft(item.task, messages=[*asked, {"role": "assistant", "content": ""}], note="silent assistant")
    if material.states and all(item.state for item in material.states):
        yield from (Draft(item.task, item.response, messages=item.messages, state={}) for item in material.states)
    if not any(item.response is not None for item in material.examples):
        return
    sure = [text for (task, text), right in material.labels.items() if right and (task, text) not in material.unsure]
    if any(not text.strip(" \n\t\r\u200b\u00a0") for text in sure):
        return
    tasks = [task for task in material.tasks if task.get("answer") not in ("", [], {})]
    random.shuffle(tasks)
    for index in range(max(len(_TEXTS), len(tasks)) if tasks else 0):
        yield Draft(tasks[index % len(tasks)], _TEXTS[index % len(_TEXTS)], note=repr(_TEXTS[index % len(_TEXTS)]))


FAMILY = Family(
    name="empty",
    expects="incorrect",
    rule="an empty response does not solve a task, unless a labelled case says that it does",
    make=make,
)
