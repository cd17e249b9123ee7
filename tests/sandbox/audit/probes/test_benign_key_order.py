"""States whose objects have their keys turned: also those whose only list holds the objects."""

import random

import pytest

from sandbox.audit.probes.benign_key_order import FAMILIES
from sandbox.audit.probes.material import Example, Material

STATES = next(family for family in FAMILIES if family.name == "benign_state_order")
TASK = {"id": "t", "prompt": "?"}


@pytest.mark.parametrize(
    ("state", "turned"),
    [
        ({"a": 1, "b": 2}, [["b", "a"]]),
        ({"calls": [{"name": "send", "to": "x"}]}, [["to", "name"]]),
        ({"calls": ["a", "b"]}, []),
        ({"calls": [{"name": "send"}]}, []),
        ({}, []),
    ],
)
def test_the_keys_of_any_object_in_a_state_are_turned(state, turned) -> None:
    """A session keeps its calls in one list: a state of one key had no order to turn, and got no probe."""
    example = Example(TASK, state=state)
    drafts = list(STATES.make(Material({}, (TASK,), (), states=(example,)), random.Random(1)))
    found = [draft.state["calls"][0] if "calls" in draft.state else draft.state for draft in drafts]
    assert [list(one) for one in found] == turned
    assert all(draft.state == state for draft in drafts)
