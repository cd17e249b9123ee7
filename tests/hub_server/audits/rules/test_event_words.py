"""The words of a history that are read again: who agreed, and whose word took a label away."""

from hub_server.audits.rules.event_words import (
    agreement_of,
    counted_words,
    is_by_moderator,
    names_in,
    opposite_words,
    without_names,
)


def test_names_are_read_back_as_they_were_written() -> None:
    assert names_in("labelled", agreement_of(["carol", "bob"])) == ["carol", "bob"]
    assert names_in("counted", counted_words("labels", "carol, bob")) == ["carol", "bob"]
    for what, reason in (("counted", counted_words("verifiers", "cy/one@2.0.0")), ("labelled", agreement_of([])),
                         ("disputed", agreement_of(["bob"])), ("counted", counted_words("labels"))):  # fmt: skip
        assert names_in(what, reason) == []


def test_a_hidden_name_is_taken_out_and_the_rest_stays() -> None:
    assert without_names("labelled", agreement_of(["carol", "bob"]), {"bob"}) == "agreed by carol"
    assert without_names("counted", counted_words("labels", "carol, bob"), {"carol"}) == "by labels: bob"


def test_a_moderators_word_is_told_from_that_of_accounts_of_standing() -> None:
    assert is_by_moderator({"by": "moda", "reason": ""})
    assert is_by_moderator({"by": "hub", "reason": opposite_words("c1", "moderator")})
    assert not is_by_moderator({"by": "hub", "reason": opposite_words("c1", "standing")})
    assert not is_by_moderator({"by": "hub", "reason": "0 of standing for the label, 2 against it"})
