"""What another verifier's verdict says about a case: nothing, where the two speak of different things."""

import pytest

from hub_server.audits.rules.other_verdicts import agrees_with_claim, is_wrong_by_state


@pytest.mark.parametrize(
    ("claim", "other", "is_other_wrong", "agrees"),
    [
        ("incorrect", "incorrect", True, False),
        ("incorrect", "incorrect", False, True),
        ("incorrect", "correct", True, True),  # it contradicts who says the opposite
        ("incorrect", "correct", False, False),
        ("incorrect sound=0", "incorrect sound=0", True, False),
        ("incorrect sound=0", "incorrect", True, None),
        ("incorrect sound=0", "correct", False, None),
        ("", "", True, None),  # of an older hub
    ],
)
def test_a_verdict_agrees_with_a_claim_about_the_same_alone(claim, other, is_other_wrong, agrees) -> None:
    assert agrees_with_claim(claim, other, is_other_wrong=is_other_wrong) is agrees


@pytest.mark.parametrize(
    ("state", "before", "is_wrong"),
    [
        ("reproduced", "", True),
        ("fixed", "", False),
        ("agreed", "", False),
        ("disputed", "reproduced", True),
        ("disputed", "fixed", False),
        ("refuted", "", None),
        ("open", "", None),
        ("disputed", "open", None),
        ("strange", "", None),
        ("confirmed", "", True),
    ],
)
def test_whether_the_other_was_wrong_follows_from_how_its_case_stands(state, before, is_wrong) -> None:
    assert is_wrong_by_state(state, before) is is_wrong
