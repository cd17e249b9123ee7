"""Space around a response, and the words for it in a report."""

import random

from sandbox.audit.probes.benign_spacing import FAMILY
from sandbox.audit.probes.material import Example, Material
from schemas.manifest import RewardDeclaration


def test_each_kind_of_space_is_named_in_words() -> None:
    """A report said ``('\\t', '\\n\\n')``."""
    task = {"id": "t", "prompt": "?", "answer": 7}
    material = Material({"correct": RewardDeclaration()}, (task,), tuple([Example(task, response="It is 7")] * 60))
    found = {draft.note: draft.response for draft in FAMILY.make(material, random.Random(1))}
    assert found == {
        "a line break after it": "It is 7\n",
        "a line break before it": "\nIt is 7",
        "two spaces before and after it": "  It is 7  ",
        "a Windows line break after it": "It is 7\r\n",
        "a tab before it, two line breaks after it": "\tIt is 7\n\n",
    }
