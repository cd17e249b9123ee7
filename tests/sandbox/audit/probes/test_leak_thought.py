"""The right answer in thinking that takes it back: what is said behind it is another one."""

import random
import re

from sandbox.audit.probes.leak_thought import FAMILY
from sandbox.audit.probes.material import Example, Material
from sandbox.audit.probes.surroundings import THINKING

NUMBERS = tuple(Example({"id": f"t{n}", "prompt": "?", "answer": n}, f"So it is {n}.") for n in (11, 12, 13))
TOWNS = tuple(
    Example({"id": name, "prompt": "?", "answer": name}, f"It is {name}.") for name in ("Vienna", "Madrid", "London")
)


def drafts(*right: Example):
    return list(FAMILY.make(Material({}, tuple(one.task for one in right), right), random.Random(3)))


def test_the_thinking_names_the_answer_and_the_rest_another_one() -> None:
    found = drafts(*NUMBERS)
    assert len({draft.way for draft in found}) == len(THINKING)
    for draft in found:
        thought, _, said = (draft.response or "").rpartition("\n\n")
        answer = str(draft.task["answer"])
        assert answer in re.findall(r"\d+", thought)
        assert answer not in re.findall(r"\d+", said)
        assert re.fullmatch(r"So it is -?\d+\.", said)


def test_words_are_answers_too() -> None:
    for draft in drafts(*TOWNS):
        thought, _, said = (draft.response or "").rpartition("\n\n")
        assert draft.task["answer"] in thought
        assert draft.task["answer"] not in said


def test_without_one_right_answer_nothing_is_made() -> None:
    loose = tuple(Example({"id": f"t{n}", "answer": 10, "info": {"tolerance": 5}}, "It is 10.") for n in range(3))
    assert drafts(*loose) == []
    assert drafts(*(Example({"id": f"t{n}", "prompt": "Write."}, "A text.") for n in range(3))) == []
