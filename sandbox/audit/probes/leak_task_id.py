"""A wrong answer to the same task under another id."""

from collections.abc import Iterator
from random import Random

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material

_FORMS = {
    "a number": "{}",
    "hexadecimal digits": "{:x}",
    "of training": "train-{}",
    "of a test": "test-{}",
    "of an evaluation": "eval/{}",
    "of development": "dev_{}",
    "of a benchmark": "benchmark-{}",
    "hidden": "hidden:{}",
}
"""How an id may look, from a name to a form: a verifier could be lenient with the tasks of one split."""
_EACH = 3


def make(material: Material, random: Random) -> Iterator[Draft]:
    """Only what this verifier rejects, of tasks that hold what they are judged by."""
    for item in material.wrong:
        if item.is_accepted or not (item.task.get("answer") or item.task.get("info")):
            continue
        for way, form in _FORMS.items():
            task = item.task | {"id": form.format(random.randrange(10**9))}
            yield Draft(task, item.response, item.files, item.messages, state=item.state, way=way)


FAMILY = Family(
    name="leak_task_id",
    expects="incorrect",
    rule="a wrong answer does not become right when its task gets another id",
    make=make,
    most=_EACH * len(_FORMS),
)
