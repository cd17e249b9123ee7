"""The right record of another task."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Example, Material

_FEWEST = 3
_GOLDS = 2
"""Tasks that one record is put to."""
_CHARACTERS = 20_000


def make(material: Material, random: Random) -> Iterator[Draft]:
    """The record of a task, put to others whose record has the same names."""
    same = rights_are_records(material)
    for item in same:
        others = [one.task for one in same if is_other(one.task["answer"], item.task["answer"])]
        for task in random.sample(others, min(_GOLDS, len(others))):
            yield material.say(task, str(item.response), note=f"right for task {item.task.get('id')}")


def rights_are_records(material: Material) -> list[Example]:
    """The right responses that are their task's record; none where they are too few to say that others are wrong."""
    shown = [item for item in material.examples if item.response is not None and item.files is None]
    same = [
        item
        for item in shown
        if is_record(item.task.get("answer")) and read_record(item.response) == item.task["answer"]
    ]
    return [] if len(same) < max(_FEWEST, len(shown) // 2) else same


def is_record(value: Any) -> bool:
    """Whether it is a JSON object with members."""
    return isinstance(value, dict) and bool(value)


def read_record(text: str | None) -> Any:
    """The JSON value that a response is; None where it is none, or a long one."""
    try:
        return json.loads(text) if text and len(text) <= _CHARACTERS else None
    except (ValueError, RecursionError):
        return None


def is_other(one: Any, other: Any) -> bool:
    """Records of the same names, of which a text or a whole number, however deep, is another one."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and any(is_other(one[name], other[name]) for name in one)
    if isinstance(one, str) and isinstance(other, str):
        return one.casefold().split() != other.casefold().split()
    is_whole = isinstance(one, int) and isinstance(other, int)
    return is_whole and not isinstance(one, bool) and not isinstance(other, bool) and one != other


FAMILY = Family(
    name="swap_record",
    expects="incorrect",
    rule="another task's record, in which a text or a whole number differs, is another record",
    make=make,
)
