"""The least age of a release holds against a hub that lists impossible or false times, and says what is wrong."""

from datetime import UTC, datetime, timedelta

import httpx
import pytest

from hub_client.client import Hub
from hub_client.errors import PolicyError
from hub_client.releases.least_age import LeastAge
from hub_client.settings import ClientSettings
from schemas.names import Reference
from schemas.package import Release, ReleaseState
from tests.making.journal_hub import JournalHub
from tests.making.scripted_hub import URL, ScriptedHub
from tests.making.wheel import make_wheel

SUMS = "alice/small-sums"
NOW = datetime.now(UTC)
WEEK = LeastAge(timedelta(days=7), lambda: datetime(2026, 11, 10, tzinfo=UTC))


def release(published_at: str) -> Release:
    return ScriptedHub().add(make_wheel()).model_copy(update={"published_at": datetime.fromisoformat(published_at)})


def ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


@pytest.fixture
def load(tmp_path):
    """Loads a reference from a hub with a least age of seven days."""

    def run(there: ScriptedHub, reference: str = SUMS, *, offline: bool = False, **more):
        settings = ClientSettings.load(url=URL, cache_dir=tmp_path, config_dir=tmp_path, min_age=7, offline=offline)
        with Hub(settings=settings, transport=httpx.MockTransport(there)) as hub:
            return hub.resolver.load(Reference.parse(reference), **more)

    return run


@pytest.mark.parametrize(
    ("said", "is_old"),
    [
        ("2026-11-03T00:00:00+00:00", True), ("2026-11-03T00:00:01+00:00", False), ("2026-11-03T00:00:00", True),
        ("2026-11-03T00:00:01", False), ("2026-11-03T00:00:01+14:00", True), ("2026-11-02T23:59:59-12:00", False),
        ("0001-01-01T00:00:00+14:00", True), ("9999-12-31T23:59:59-12:00", False), ("2031-01-01T00:00:00Z", False),
    ],
)  # fmt: skip
def test_a_time_without_a_zone_is_utc_and_one_with_another_zone_is_converted(said, is_old) -> None:
    since = datetime.fromisoformat(said)
    assert WEEK.admits(since) is is_old
    assert "was published" in str(WEEK.refusal(release(said), since)), "no time makes the message fail"


def test_the_refusal_is_in_utc_and_says_where_a_clock_may_be_wrong() -> None:
    def said(text: str) -> str:
        return str(WEEK.refusal(release(text), datetime.fromisoformat(text)))

    assert said("2026-11-09T20:30:00-05:00").endswith(
        "was published 2026-11-10 01:30 UTC, and nothing older fits: with --min-age 7 it can be used from "
        "2026-11-17 01:30 UTC on, with --min-age 0 now; it is 2026-11-10 00:00 UTC by this machine's clock: is that right?"
    )
    assert "clock" not in said("2026-11-09T20:30:00+00:00")
    assert "it can never be used" in said("9999-12-31T00:00:00+00:00")


def test_what_lay_in_private_counts_from_the_day_on_which_it_was_made_public(load) -> None:
    """The list says when it was uploaded. Nobody else could look at it before the journal named it."""
    there = JournalHub()
    there.add(make_wheel(version="1.0.0"), published_at=ago(90))
    there.add(make_wheel(version="1.1.0"), published_at=ago(60))
    there.add(make_wheel(version="1.2.0"), published_at=ago(50))
    for place, days in enumerate((90, 2, 1)):
        there.forge(place, at=ago(days))
    assert load(there).version == "1.0.0", "a range takes the newest that was public long enough"
    with pytest.raises(
        PolicyError, match=rf"in the hub's journal since {ago(2):%Y-%m-%d %H:%M} UTC, and nothing older"
    ):
        load(there, f"{SUMS}@1.1.0")
    assert load(there, f"{SUMS}@1.1.0", any_age=True).version == "1.1.0", "a lock has taken it"
    with pytest.raises(PolicyError, match=r"1\.2\.0 .* in the hub's journal"):
        load(there, f"{SUMS}@>=1.1", offline=True)


@pytest.mark.parametrize("selector", ["@>=0.9", "@<2"])
def test_the_age_of_a_final_release_does_not_bring_a_pre_release(load, selector) -> None:
    there = ScriptedHub()
    there.add(make_wheel(version="1.0.0rc1"), published_at=ago(30))
    there.add(make_wheel(version="1.0.0"), published_at=ago(2))
    with pytest.raises(PolicyError, match=r"small-sums 1\.0\.0 was published"):
        load(there, f"{SUMS}{selector}")
    assert load(there, f"{SUMS}@1.0.0rc1").version == "1.0.0rc1"


def test_a_quarantined_one_is_called_so_and_no_option_is_advised_that_does_not_help(load) -> None:
    there = ScriptedHub()
    there.add(make_wheel(version="1.0.0"), published_at=ago(2), state=ReleaseState.QUARANTINED)
    with pytest.raises(PolicyError, match="is quarantined"):
        load(there, f"{SUMS}@1.0.0")
