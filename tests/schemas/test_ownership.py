"""Offers on the wire: what may be asked for, and that an older client reads a newer hub's answer."""

import pytest
from pydantic import ValidationError

from schemas.ownership import Transfer, TransferAnswer, TransferCreate, TransferState

OFFER = {
    "package": "alice/sums",
    "from_owner": "alice",
    "to_owner": "lab",
    "offered_by": "alice",
    "offered_at": "2026-11-25T00:00:00Z",
    "state": "open",
}


def test_an_offer_without_an_answer_has_none() -> None:
    offer = Transfer.read(OFFER)
    assert (offer.state, offer.answered_by, offer.answered_at) == (TransferState.OPEN, "", None)


def test_an_answered_offer_is_written_as_it_was_read() -> None:
    answered = OFFER | {"state": "accepted", "answered_by": "ann", "answered_at": "2026-11-26T00:00:00Z"}
    assert Transfer.read(Transfer.read(answered).model_dump(mode="json")) == Transfer.read(answered)


def test_what_a_later_hub_adds_is_passed_over() -> None:
    assert Transfer.read(OFFER | {"reason": "gone to sea"}).package == "alice/sums"


@pytest.mark.parametrize("to", ["", "a", "Alice", "alice/sums", "no-hyphen", "a" * 40, "al\x00ice", "al\ud800ce"])
def test_only_a_name_that_an_account_can_have_is_offered_anything(to: str) -> None:
    with pytest.raises(ValidationError):
        TransferCreate(to=to)


@pytest.mark.parametrize("accept", [None, "perhaps", 2, []])
def test_an_answer_is_yes_or_no(accept: object) -> None:
    with pytest.raises(ValidationError):
        TransferAnswer.model_validate({"accept": accept})


def test_there_are_three_states_and_no_other() -> None:
    assert [state.value for state in TransferState] == ["open", "accepted", "declined"]
    with pytest.raises(ValidationError):
        Transfer.read(OFFER | {"state": "stolen"})
