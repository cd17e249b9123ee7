"""The members of a set in another order."""

import re
from collections.abc import Iterator
from random import Random

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material

_SET = re.compile(r"\$?\\?\{(?P<members>[^{}()\[\]]+,[^{}()\[\]]+?)\\?\}\$?")


def make(material: Material, random: Random) -> Iterator[Draft]:
    """Only where form cannot matter: one reward decides, and it is about the answer."""
    if not material.judges_only_the_answer:
        return
    for item in material.accepted:
        answer = item.task.get("answer")
        match = _SET.fullmatch(answer.strip()) if isinstance(answer, str) else None
        if match is None or item.text is None or item.text.count(match["members"]) != 1:
            continue
        members = [member.strip() for member in match["members"].split(",")]
        random.shuffle(members)
        yield item.saying(item.text.replace(match["members"], ", ".join(members)))


FAMILY = Family(
    name="benign_set_order",
    expects="correct",
    rule="a set in braces has no order",
    make=make,
)
