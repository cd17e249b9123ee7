"""Formulas that are set otherwise say the same; what might say something else is left alone."""

from random import Random

import pytest

from sandbox.audit.probes.benign_setting import FAMILY
from sandbox.audit.probes.material import Example, Material
from schemas.manifest import RewardDeclaration


def settings(answer, response=None, *, is_accepted=True):
    tasks = [{"id": f"t{n}", "prompt": "?", "answer": answer} for n in range(4)]
    said = response or f"So $\\boxed{{{answer}}}$."
    examples = tuple(Example(task, response=said, is_accepted=is_accepted) for task in tasks)
    material = Material({"correct": RewardDeclaration()}, tuple(tasks), examples)
    return {str(draft.response) for seed in range(20) for draft in FAMILY.make(material, Random(seed))}


@pytest.mark.parametrize(
    ("answer", "forms"),
    [
        ("(3, 4)", {r"\left(3, 4\right)", r"(3,\, 4)"}),
        (r"\frac{1}{2}", {r"\dfrac{1}{2}"}),
        ("2(x+1)(x-1)", {r"2\left(x+1\right)\left(x-1\right)"}),
        ("[0, 1)", {r"[0,\, 1)"}),
        (r"\left(3,4\right)", set()),
        ("12", set()),
        ("(3", set()),
        (")3(", set()),
    ],
)
def test_what_is_only_set_otherwise_is_written_and_nothing_else(answer, forms):
    assert settings(answer) == {f"So $\\boxed{{{form}}}$." for form in forms}


def test_no_box_and_no_accepted_response_are_no_beginning():
    assert settings("(3, 4)", "So it is (3, 4).") == set()
    assert settings("(3, 4)", is_accepted=False) == set()
