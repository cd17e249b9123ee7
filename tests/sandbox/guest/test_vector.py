import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.guest.vector import BrokenVectorError, check_vector

DECLARED = {"correct": (0.0, 1.0), "length": (-1.0, 10.0)}


@given(st.floats(0, 1), st.one_of(st.none(), st.floats(-1, 10), st.integers(-1, 10)))
def test_a_vector_within_its_declaration_comes_back_as_floats(correct: float, length: float | None) -> None:
    checked = check_vector({"length": length, "correct": correct}, DECLARED)
    assert checked == {"correct": correct, "length": length}
    assert all(value is None or type(value) is float for value in checked.values())


class Sly(float):
    def __float__(self) -> float:
        return 99.0


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "NoneType"),
        ([1.0, 2.0], "list"),
        ({"correct": 1.0}, "did not return length"),
        ({"correct": 1.0, "length": 1, "extra": 1}, "'extra', which verihub.toml does not declare"),
        ({"correct": True, "length": 1}, "reward correct is bool True"),
        ({"correct": "1.0", "length": 1}, "reward correct is str '1.0'"),
        ({"correct": math.nan, "length": 1}, "reward correct is nan"),
        ({"correct": math.inf, "length": 1}, "reward correct is inf"),
        ({"correct": 10**400, "length": 1}, "reward correct is inf"),
        ({"correct": 1.0000001, "length": 1}, r"outside its declared range \[0.0, 1.0\]"),
        ({"correct": 0, "length": -1.5}, "reward length is -1.5"),
        ({"correct": Sly(0.5), "length": 1}, "99.0"),
        ({"correct": object(), "length": 1}, "object"),
    ],
)
def test_what_breaks_the_declaration_is_refused_with_the_reason(value: object, words: str) -> None:
    with pytest.raises(BrokenVectorError, match=words):
        check_vector(value, DECLARED)
