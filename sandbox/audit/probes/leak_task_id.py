"""A wrong answer to the same task under another id."""

from collections.abc import Callable, Iterator
from random import Random
from uuid import UUID

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material


def a_uuid(random: Random) -> str:
    """As most databases name their rows."""
    return str(UUID(int=random.getrandbits(128), version=4))


FORMS: dict[str, Callable[[Random], str]] = {
    "a number": lambda random: str(_number(random)),
    "hexadecimal digits": lambda random: f"{_number(random):x}",
    "of training": lambda random: f"train-{_number(random)}",
    "of a test": lambda random: f"test-{_number(random)}",
    "of an evaluation": lambda random: f"eval/{_number(random)}",
    "of development": lambda random: f"dev_{_number(random)}",
    "of a benchmark": lambda random: f"benchmark-{_number(random)}",
    "hidden": lambda random: f"hidden:{_number(random)}",
    "words": lambda random: "-".join(_letters(random) for _ in range(2)),
    "capitals": lambda random: f"{_letters(random)}_{_letters(random)}".upper(),
    "a UUID": a_uuid,
    "a path": lambda random: f"data/questions/{'/'.join(_letters(random) for _ in range(5))}.jsonl#{_letters(random)}",
    "words with spaces": lambda random: f"{_letters(random)} {_letters(random)}",
    "another script": lambda random: "\u95ee\u9898" + _letters(random),
}
"""How an id may look: a verifier could be lenient with the tasks of one split, or with ids that suites do not have."""
_EACH = 2


def make(material: Material, random: Random) -> Iterator[Draft]:
    """Only what this verifier rejects, of tasks that hold what they are judged by."""
    for item in material.wrong:
        if item.is_accepted or not (item.task.get("answer") or item.task.get("info")):
            continue
        for way, form in FORMS.items():
            task = item.task | {"id": form(random)}
            yield Draft(task, item.response, item.files, item.messages, state=item.state, way=way)


def _number(random: Random) -> int:
    return random.randrange(10**9)


def _letters(random: Random) -> str:
    return "".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=random.randint(5, 8)))


FAMILY = Family(
    name="leak_task_id",
    expects="incorrect",
    rule="a wrong answer does not become right when its task gets another id",
    make=make,
    most=_EACH * len(FORMS),
)
