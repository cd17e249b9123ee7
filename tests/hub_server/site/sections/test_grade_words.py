"""One sentence says why a verifier has its letter, and it is true of that letter."""

import pytest

from hub_server.site.sections.grade_words import letter_words
from schemas.evidence.rates import Grade, WorsePart
from tests.hub_server.site import samples

_FINE = samples.summary("1.0.0", 0, 900, 0, 900)
_WORSE = WorsePart(name="origin:suite", side="fpr", errors=30, cases=60, grade=Grade.D)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "The larger upper bound gives the grade: A."),
        ({"grade": Grade.C, "is_hollow": True}, "would be A; with its author's own cases alone it is at most C."),
        (
            {"grade": Grade.D, "pulled": [_WORSE]},
            "would be A; the part “independent suites” is surely worse, which makes it D.",
        ),
        ({"grade": Grade.B}, "would be A; the audit report says why it is B."),
        ({"grade": Grade.UNMEASURED}, ""),
    ],
)
def test_what_lowers_a_letter_is_named(changes: dict[str, object], words: str) -> None:
    """The home page showed two bounds within B, and "the larger upper bound gives the grade: C"."""
    assert letter_words(_FINE.model_copy(update=changes)).endswith(words)


def test_a_hollow_letter_that_the_bounds_give_anyway_is_theirs() -> None:
    thin = samples.summary("1.0.0", 0, 100, 0, 100).model_copy(update={"is_hollow": True})
    assert letter_words(thin) == f"The larger upper bound gives the grade: {thin.grade}."
