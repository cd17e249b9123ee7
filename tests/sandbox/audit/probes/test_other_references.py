"""References that a probe brings: only to verifiers of formulas in LaTeX, in their own forms, and with certain labels."""

import random
from fractions import Fraction

import pytest

from sandbox.audit.probes.family import Draft
from sandbox.audit.probes.material import Example, Material
from sandbox.audit.probes.other_references import FAMILIES, _dots, _factors, _powers, _ratios, _signs, _small_values
from schemas.manifest import RewardDeclaration

BY_NAME = {family.name: family for family in FAMILIES}
GOLDS = (r"\frac{1}{2}", r"\frac{\pi}{3}", r"2\sqrt{3}", "x + 7", "19", "23")
DECLARED = {"correct": RewardDeclaration()}


def drafts(name: str, *shown: tuple[str, str], declared=DECLARED, **more: object) -> list[Draft]:
    examples = tuple(
        Example({"id": f"t{n}", "prompt": "?", "answer": gold, **more}, form.format(gold))
        for n, (gold, form) in enumerate(shown)
    )
    material = Material(declared, tuple(item.task for item in examples), examples)
    return list(BY_NAME[name].make(material, random.Random(4)))


BOXED = [(gold, r"So it is $\boxed{{{}}}$.") for gold in GOLDS]


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_each_pair_is_said_in_an_accepted_box_and_between_dollar_signs(name: str) -> None:
    found = drafts(name, *BOXED)
    assert len(found) > 1
    assert not {draft.task["answer"] for draft in found} & set(GOLDS), "the reference is another one"
    for boxed, in_dollars in zip(found[::2], found[1::2], strict=True):
        assert boxed.task["answer"] == in_dollars.task["answer"]
        said = in_dollars.response.strip("$")
        assert boxed.response == rf"So it is $\boxed{{{said}}}$."
        assert set(boxed.task) == {"id", "prompt", "answer"}


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_nobody_else_is_asked(name: str) -> None:
    assert drafts(name, *((str(n), r"$\boxed{{{}}}$") for n in range(10, 20))) == [], "numbers are no formulas"
    assert drafts(name, *((gold, "{}") for gold in GOLDS)) == [], "no form in which LaTeX is said"
    assert drafts(name, *BOXED, info={"tests": ["t"]}) == [], "something else may decide"
    assert drafts(name, *BOXED, declared=DECLARED | {"style": RewardDeclaration()}) == [], "the form may matter"


def test_small_values_and_sums_differ() -> None:
    """Worked out in whole numbers, since a float is what cannot tell them apart."""
    (power, _, _), (first, second) = _small_values(random.Random(4)), _powers(random.Random(4))
    assert power[0] != power[1]
    exponent = int(first[0].split("2^{")[1].split("}")[0])
    assert Fraction(2**exponent + 1, 3 * 2 ** (exponent + 1)) != Fraction(1, 3 * 2 ** (exponent + 1))
    assert second[0] != second[1]


@pytest.mark.parametrize("pairs_of", [_small_values, _powers, _ratios, _signs, _dots, _factors])
def test_no_pair_is_drawn_twice_or_equal(pairs_of) -> None:
    for seed in range(200):
        pairs = pairs_of(random.Random(seed))
        assert len(set(pairs)) == len(pairs)
        assert all(reference != response for reference, response in pairs)
