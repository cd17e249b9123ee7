"""What a suite's own cases, and the verifiers measured on it, say of its labels."""

from hub_server.audits.rules.label_evidence import against_majority, repeats_of, turned_labels
from schemas.evidence.cases import AuditCase, Label
from schemas.evidence.suite_leaderboard import ContestedCase


def case(number: int, response: str, label: Label = Label.CORRECT) -> AuditCase:
    return AuditCase(id=f"c{number}", task={"id": "t", "prompt": "2 + 2?"}, response=response, label=label)


def test_a_response_that_comes_twice_counts_once_and_with_both_labels_as_a_contradiction():
    wrong = Label.INCORRECT
    cases = [case(1, "4"), case(2, "4"), case(3, "4", wrong), case(4, "5", wrong), case(5, "5", wrong), case(6, "6")]
    assert repeats_of(cases) == (2, 1)
    assert repeats_of([]) == (0, 0)


def test_a_label_is_turned_where_the_same_case_had_the_other_one_alone():
    right, wrong = Label.CORRECT, Label.INCORRECT
    before = [case(1, "4"), case(2, "5"), case(3, "6"), case(4, "6", wrong), case(5, "gone")]
    now = [case(9, "4", wrong), case(2, "5", right), case(3, "6", wrong), case(7, "new", wrong)]
    assert turned_labels(before, now) == 1, "its id may be another; a case with both labels has not turned"
    assert turned_labels([], now) == 0


def against(*verifiers: str) -> ContestedCase:
    return ContestedCase(case="c", label=Label.CORRECT, wrong=len(verifiers), of=9, verifiers=list(verifiers))


def test_more_than_half_of_three_or_more_are_a_majority_and_the_owners_own_verifier_has_no_say():
    contested = [against("a", "b"), against("a", "owner"), against("a")]
    assert against_majority(contested, {"a", "b", "c"}) == 1
    assert against_majority([against("a", "b")], {"a", "b", "c", "d"}) == 0, "half is no majority"
    assert against_majority(contested, {"a", "b"}) is None
