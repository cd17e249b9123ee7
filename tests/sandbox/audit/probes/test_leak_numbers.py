"""Another number in the place of the answer is another value also with what stands behind it."""

import random

import pytest

from sandbox.audit.probes.leak_numbers import FAMILIES
from sandbox.audit.probes.material import Example, Material

SCALE = next(one for one in FAMILIES if one.name == "leak_unit_scale")


def said(text: str) -> set[str]:
    shown = tuple(Example({"id": f"r{n}", "prompt": "?", "answer": 50}, text) for n in range(3))
    return {str(one.response) for seed in range(40) for one in SCALE.make(Material({}, (), shown), random.Random(seed))}


@pytest.mark.parametrize(
    "text", ["50%", "50 %", "50\\%", "$50$\\%", "It is \\boxed{50}%.", "50 per cent", "50 Percent"]
)
def test_a_hundred_times_a_number_is_the_number_where_percent_follows(text: str) -> None:
    """5000 % is 50."""
    assert said(text) == {text.replace("50", "500"), text.replace("50", "50000")}


@pytest.mark.parametrize("text", ["50", "It is 50.", "50 m, all of it"])
def test_elsewhere_it_is_another_number(text: str) -> None:
    assert said(text) == {text.replace("50", many) for many in ("500", "5000", "50000")}
