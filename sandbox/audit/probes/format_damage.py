"""A right response whose form is broken."""

import json
from collections.abc import Iterator
from random import Random

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material


def make(material: Material, random: Random) -> Iterator[Draft]:
    """Only where every right response is a JSON object, or every one a program.

    Code without a fence is broken in each function: who takes it out of prose leaves a stray line behind it out.
    """
    texts = [item for item in material.examples if item.response is not None]
    if texts and all(_is_object(item.response or "") for item in texts):
        for item in texts:
            text = (item.response or "").strip()
            yield Draft(item.task, text[: random.randrange(1, len(text))], note="cut JSON", way="cut anywhere")
            yield Draft(item.task, text[:-1], note="cut JSON", way="without its last bracket")
    if material.wants_code:
        for item, program in material.programs:
            is_fenced = "`" in program.before
            broken = program.with_code(f"{program.code}\nx = (\n") if is_fenced else program.same_names("x = (")
            yield Draft(item.task, broken, note="open bracket")


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


FAMILY = Family(
    name="format_damage",
    expects="incorrect",
    rule="JSON cut short is not JSON, and a program cut in a bracket does not compile",
    make=make,
)
