"""What both databases hold alike: times in UTC, text without NUL, ids in order of birth."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import DateTime, bindparam, select, type_coerce
from sqlalchemy.dialects import postgresql, sqlite

from hub_server.database.base import PlainText, UtcDateTime, new_id
from hub_server.database.engine import Database

MOMENTS = st.datetimes(datetime(1971, 1, 1), datetime(2200, 1, 1))  # noqa: DTZ001 -- zones are added by the test
ZONES = st.integers(-12 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(MOMENTS, ZONES)
@settings(max_examples=40)
@pytest.mark.parametrize("dialect", [sqlite.dialect(), postgresql.dialect()], ids=["sqlite", "postgres"])
def test_a_moment_comes_back_as_itself_in_utc(dialect, moment: datetime, zone: timezone) -> None:
    kind = UtcDateTime()
    given_moment = moment.replace(tzinfo=zone)
    back = kind.process_result_value(kind.process_bind_param(given_moment, dialect), dialect)
    assert back == given_moment
    assert back.tzinfo == UTC


def test_a_time_without_a_zone_is_refused_and_none_stays_none() -> None:
    kind, dialect = UtcDateTime(), sqlite.dialect()
    with pytest.raises(ValueError, match="zone"):
        kind.process_bind_param(datetime(2026, 1, 1), dialect)  # noqa: DTZ001 -- the point of the test
    assert kind.process_bind_param(None, dialect) is None
    assert kind.process_result_value(None, dialect) is None
    assert isinstance(kind.impl, DateTime)


@pytest.mark.parametrize("text", ["a\x00b", "\x00", "plain", "é\u2028\U0001f600", ""])
def test_text_comes_back_from_either_database_with_nul_replaced(database: Database, text: str) -> None:
    with database.reading() as session:
        back = session.scalar(select(type_coerce(bindparam("t", text, PlainText()), PlainText())))
    assert back == text.replace("\x00", "\ufffd")


@given(st.lists(MOMENTS, min_size=2, max_size=6, unique=True))
@settings(max_examples=40)
def test_ids_sort_as_their_moments_do(moments: list[datetime]) -> None:
    ordered = sorted(moment.replace(tzinfo=UTC) for moment in moments)
    ids = [new_id(moment) for moment in ordered]
    assert ids == sorted(ids)
    assert {len(one) for one in ids} == {22}


def test_two_ids_of_one_moment_differ() -> None:
    now = datetime(2026, 11, 21, tzinfo=UTC)
    assert len({new_id(now) for _ in range(200)}) == 200
