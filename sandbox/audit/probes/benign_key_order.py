"""The keys of a JSON object in another order."""

import json
from collections.abc import Iterator
from random import Random

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material


def make(material: Material, random: Random) -> Iterator[Draft]:
    """For every accepted response that is one JSON object with two keys or more."""
    for item in material.accepted:
        try:
            value = json.loads(item.response or "")
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and len(value) > 1:
            keys = list(value)
            random.shuffle(keys)
            yield Draft(item.task, json.dumps({key: value[key] for key in keys}, indent=random.choice((None, 1, 2))))


FAMILY = Family(
    name="benign_key_order",
    expects="correct",
    rule="the members of a JSON object have no order, and space between them no meaning",
    make=make,
)
