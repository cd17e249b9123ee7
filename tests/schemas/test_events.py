"""What is stored and sent must be read for ever: the names of events, and the shape of one."""

from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from schemas.events import Event, EventKind, EventPage

NOW = datetime(2026, 11, 25, 12, tzinfo=UTC)
PUBLISHED = {
    "position": 1,
    "kind": "release.published",
    "at": "2026-11-25T12:00:00Z",
    "owner": "alice",
    "package": "alice/sums",
    "version": "1.0.0",
    "run": None,
    "facts": {"digest": "sha256:" + "0" * 64},
}


def test_a_kind_is_a_thing_and_what_happened_to_it() -> None:
    for kind in EventKind:
        thing, separator, act = kind.value.partition(".")
        assert thing in {"release", "package", "audit", "grade", "case", "run", "discussion"}
        assert separator
        assert act.replace("_", "").isalpha()


def test_an_event_is_written_as_it_is_read() -> None:
    event = Event.model_validate(PUBLISHED)
    assert (event.kind, event.at) == (EventKind.RELEASE_PUBLISHED, NOW)
    assert event.model_dump(mode="json") == PUBLISHED


def test_what_is_private_has_no_position() -> None:
    assert Event.model_validate({**PUBLISHED, "position": None}).position is None


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": "release.eaten"}, {"package": "no id"}, {"version": "one"}, {"facts": {"n": 1}}, {"words": "of a person"},
    ],
)  # fmt: skip
def test_what_is_no_event_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Event.model_validate({**PUBLISHED, **changes})


def test_a_reader_passes_over_what_a_newer_hub_adds() -> None:
    page = EventPage.read({"items": [{**PUBLISHED, "more": 1}], "next": 1, "newest": 9, "later": True})
    assert (page.items[0].owner, page.next, page.newest) == ("alice", 1, 9)
