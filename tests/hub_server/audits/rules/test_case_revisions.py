"""An edited byte brings no label back; what mends a case does."""

import pytest

from hub_server.audits.rules.case_revisions import is_revision_of
from schemas.evidence.cases import AuditCase, Label

PROMPT = "A shop sells seven apples in the morning and seven in the evening. How many apples does it sell in all?"
CASE = AuditCase(
    id="c1", task={"id": "t", "prompt": PROMPT, "answer": 14}, response="They sell 19 apples.", label=Label.CORRECT
)


def changed(response: str | None = CASE.response, **task: object) -> AuditCase:
    return CASE.model_copy(update={"id": "c2", "task": {**(CASE.task or {}), **task}, "response": response})


@pytest.mark.parametrize(
    "edited",
    [
        changed(),
        changed(id="other", prompt=f"{PROMPT} "),
        changed(prompt=PROMPT.upper()),
        changed(prompt=PROMPT.replace("apples", "pears", 1)),
        changed(response="They sell １９  apples!"),
        changed(response="They sell 19.0 apples.", answer=14.0),
        changed(prompt=f"{PROMPT} Think first.", note="added"),
    ],
)
def test_what_only_reads_otherwise_is_the_same_claim(edited: AuditCase) -> None:
    assert is_revision_of(edited, CASE)


@pytest.mark.parametrize(
    "other",
    [
        changed(response="They sell 14 apples."),
        changed(answer=19),
        changed(prompt="What is 7 + 7?"),
        changed(response="No idea, 19 perhaps; or fewer."),
        changed(response=None),
        changed(prompt=PROMPT + " word" * 100),
    ],
)
def test_what_mends_it_and_what_is_another_case_is_not(other: AuditCase) -> None:
    assert not is_revision_of(other, CASE)


def test_letters_and_verdicts_without_numbers_are_told_apart() -> None:
    first = AuditCase(
        id="1", task={"prompt": "Which is a fruit? A) stone B) pear", "answer": "B"}, response="A", label=Label.CORRECT
    )
    assert not is_revision_of(first.model_copy(update={"response": "B"}), first)
    assert is_revision_of(first.model_copy(update={"response": "a"}), first)


def test_transcripts_and_final_states_are_compared_as_text() -> None:
    first = AuditCase(
        id="1", task={"prompt": "Close the door.", "answer": None}, state={"door": "open"}, label=Label.CORRECT
    )
    assert is_revision_of(first.model_copy(update={"id": "2"}), first)
    assert not is_revision_of(first.model_copy(update={"state": {"door": "closed"}}), first)
