"""What checks of conformance expect: a wrong answer is told with what was seen."""

import pytest

from sandbox.checks.conformance_bench import MAIN, NotConformingError, expect, expect_error
from schemas.verdict import ErrorKind, Verdict

TIMED_OUT = Verdict.unjudged(["correct", "short"], ErrorKind.TIMEOUT, "5 s are over")


def test_what_is_not_so_is_told_with_what_was_seen() -> None:
    expect(True, "never said")
    with pytest.raises(NotConformingError, match=r"saw \[1\]"):
        expect(False, [1])


def test_an_error_is_expected_by_kind_words_and_nulls_of_every_reward() -> None:
    expect_error(TIMED_OUT, ErrorKind.TIMEOUT, "5 s")
    others = [
        TIMED_OUT.model_copy(update={"rewards": {"correct": 0.0, "short": None}}),
        TIMED_OUT.model_copy(update={"rewards": {"correct": None}}),
        Verdict(rewards={"correct": None, "short": None}),
        Verdict.unjudged(["correct", "short"], ErrorKind.MEMORY, "5 s are over"),
        Verdict.unjudged(["correct", "short"], ErrorKind.TIMEOUT, "other words"),
    ]
    for other in others:
        with pytest.raises(NotConformingError):
            expect_error(other, ErrorKind.TIMEOUT, "5 s")


def test_the_sample_declares_what_the_helpers_count_on() -> None:
    assert MAIN.rewards == ("correct", "short")
