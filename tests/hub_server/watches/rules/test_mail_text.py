"""The words of a mail: plain text of ours, with names that the hub has checked."""

from datetime import UTC, datetime

import pytest

from hub_server.watches.rules.mail_text import MOST_LINES, MOST_OF_OWNER, TOLD, line_of, subject_of, text_of
from schemas.events import Event, EventKind

NOW = datetime(2026, 11, 25, tzinfo=UTC)
URL = "https://hub.example"


def event(kind: EventKind = EventKind.RELEASE_PUBLISHED, package: str = "al/x", **facts: str) -> Event:
    return Event(position=1, kind=kind, at=NOW, owner="al", package=package, version="1.0.0", facts=facts)


@pytest.mark.parametrize("kind", [kind for kind in EventKind if kind.value in TOLD])
def test_every_kind_that_is_told_has_words(kind: EventKind) -> None:
    line = line_of(event(kind), URL)
    assert "al/x" in line
    assert "{" not in line
    assert f"{URL}/packages/al/x" in line


def test_a_grade_is_told_with_the_one_before() -> None:
    assert "al/x has the grade B, and had C" in line_of(event(EventKind.GRADE_CHANGED, grade="B", before="C"), URL)


def test_noise_is_not_told() -> None:
    assert not TOLD & {EventKind.AUDIT_FINISHED.value, EventKind.CASE_SUBMITTED.value, EventKind.RUN_FINISHED.value}


def test_a_subject_names_one_package_or_counts_them() -> None:
    assert subject_of([event(), event()]) == "News of al/x"
    assert subject_of([event(), event(package="al/y")]) == "News of 2 packages"


def test_a_mail_has_an_end_and_says_how_to_end_them() -> None:
    owners = [replaced(number) for number in range(MOST_LINES + 1)]
    text = text_of(owners, URL, f"{URL}/unsubscribe/c")
    assert text.count("was published") == MOST_LINES
    assert "and more" in text
    assert f"{URL}/unsubscribe/c" in text


def replaced(number: int) -> Event:
    """An event of another owner for each number."""
    return event().model_copy(update={"owner": f"owner{number}"})


def test_an_owner_of_a_thousand_events_hides_nobody_elses() -> None:
    text = text_of([event()] * 60 + [replaced(1)], URL, f"{URL}/unsubscribe/c")
    assert text.count("was published") == MOST_OF_OWNER + 1
    assert text.count("and more of al") == 1
