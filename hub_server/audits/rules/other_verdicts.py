"""What the verdict of one verifier says about a case that was submitted against another. Pure."""

from schemas.evidence.counter_examples import CaseState

_WRONG = {CaseState.REPRODUCED: True, CaseState.FIXED: False, CaseState.AGREED: False}


def is_wrong_by_state(state: str, state_before_dispute: str) -> bool | None:
    """Whether a case's verifier contradicts the case's label, as its state says; None where that is not known.

    Not of a refuted one: it was judged right, or was withdrawn.
    """
    try:
        return _WRONG.get(CaseState(state_before_dispute if state == CaseState.DISPUTED else state))
    except ValueError:  # a damaged row breaks no page of others
        return None


def agrees_with_claim(claim: str, other_claim: str, *, is_other_wrong: bool) -> bool | None:
    """Whether a verifier agrees with ``claim``, that is right or wrong on ``other_claim`` about the same response.

    None where the two speak of different rewards.
    """
    if claim and claim == other_claim:
        return not is_other_wrong
    both = {claim, other_claim}
    return is_other_wrong if both == {"correct", "incorrect"} else None
