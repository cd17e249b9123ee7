"""What is said about watches, as both sides read it."""

import pytest
from pydantic import ValidationError

from schemas.watches import MailPace, MailPaceChange, Watch, Watching


def test_a_pace_is_one_of_three() -> None:
    assert [pace.value for pace in MailPace] == ["hour", "day", "never"]
    with pytest.raises(ValidationError):
        MailPaceChange.model_validate({"pace": "minute"})


def test_an_owner_is_watched_without_a_package() -> None:
    watch = Watch.model_validate({"owner": "al", "since": "2026-11-25T00:00:00Z"})
    assert Watching(items=[watch], pace=MailPace.DAY, is_mailed=True).items[0].package is None
