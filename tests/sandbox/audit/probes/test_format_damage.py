"""A broken form: a program that does not compile, wherever a verifier may take it to end."""

import random
import re

import pytest

from sandbox.audit.probes.format_damage import FAMILY
from sandbox.audit.probes.material import Example, Material

CODE = "def double(n):\n    return 2 * n\n"
TASK = {"id": "t", "prompt": "Write double(n).", "answer": [{"args": [2], "value": 4}]}


def drafts(form: str) -> list[str]:
    right = tuple(Example({**TASK, "id": f"t{n}"}, form.format(CODE)) for n in range(4))
    return [str(one.response) for one in FAMILY.make(Material({}, (TASK,), right), random.Random(1))]


def test_in_a_fence_the_whole_program_stays_before_the_open_bracket() -> None:
    found = drafts("Here it is:\n```python\n{}```\n")
    assert found
    assert all("return 2 * n" in one and "x = (" in one for one in found)


def test_without_a_fence_nothing_right_stands_before_what_is_broken() -> None:
    """A verifier may take code out of the prose around it: the right program with a stray line behind it is right."""
    found = drafts("{}")
    assert found
    for one in found:
        assert "return 2 * n" not in one
        assert re.search(r"def double\b", one)
        with pytest.raises(SyntaxError):
            compile(one, "response", "exec")
