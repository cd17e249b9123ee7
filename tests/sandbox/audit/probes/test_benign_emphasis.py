"""Bold and italic type: only in a sentence, and not after a marker that asks for the bare value."""

import random

import pytest

from sandbox.audit.probes.benign_emphasis import FAMILY
from sandbox.audit.probes.material import Example, Material
from schemas.manifest import RewardDeclaration


@pytest.mark.parametrize(
    ("said", "is_written"),
    [
        ("So the answer is 7", True),
        ("They need 7 boxes", True),
        ("Final answer: 7", False),
        ("The final answer is: 7", False),
        ("**Final answer:** 7", False),
        ("The total of it #### 7", False),
        ("7", False),
    ],
)
def test_only_a_value_in_a_sentence_is_set_in_bold(said: str, is_written: bool) -> None:
    """Readers of ``ANSWER: X`` were blamed for not reading ``Final answer: __X__``, which they do not ask for."""
    task = {"id": "t", "prompt": "?", "answer": 7}
    material = Material({"correct": RewardDeclaration()}, (task,), tuple([Example(task, response=said)] * 3))
    assert bool(list(FAMILY.make(material, random.Random(1)))) is is_written
