"""The keys of a JSON object, a state or a set of files in another order."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any

from sandbox.audit.probes.family import Draft, Family
from sandbox.audit.probes.material import Material


def make(material: Material, random: Random) -> Iterator[Draft]:
    """For every accepted response that is one JSON object with two keys or more."""
    for item in material.accepted:
        try:
            value = json.loads(item.text or "")
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and len(value) > 1:
            keys = list(value)
            random.shuffle(keys)
            yield item.saying(json.dumps({key: value[key] for key in keys}, indent=random.choice((None, 1, 2))))


def make_for_states(material: Material, random: Random) -> Iterator[Draft]:
    """For every accepted state with an object of two names or more in it, and every accepted set of so many files."""
    del random
    for item in (*material.states, *material.accepted):
        if not item.is_accepted or not (_has_order(item.state) or len(item.files or {}) > 1):
            continue
        files = dict(reversed(item.files.items())) if item.files is not None else None
        state = _turned(item.state) if item.state is not None else None
        yield Draft(item.task, item.response, files, item.messages, state=state)


def _has_order(value: Any) -> bool:
    """Whether an object anywhere in a JSON value has two members."""
    if isinstance(value, dict):
        return len(value) > 1 or any(map(_has_order, value.values()))
    return isinstance(value, list) and any(map(_has_order, value))


def _turned(value: Any) -> Any:
    """The same JSON value with the keys of every object in the reverse order."""
    if isinstance(value, dict):
        return {key: _turned(value[key]) for key in reversed(value)}
    return [_turned(part) for part in value] if isinstance(value, list) else value


FAMILIES = (
    Family(
        name="benign_key_order",
        expects="correct",
        rule="the members of a JSON object have no order, and space between them no meaning",
        make=make,
    ),
    Family(
        name="benign_state_order",
        expects="correct",
        rule="neither the keys of a state nor files have an order",
        make=make_for_states,
    ),
)
