"""The declarative base: constraint names, times in UTC, text that both databases can hold, ids that sort by creation
time.
"""

import secrets
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

from sqlalchemy import JSON, DateTime, Dialect, MetaData, Text
from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.types import TypeDecorator

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class UtcDateTime(TypeDecorator[datetime]):
    """A point in time, always in UTC. A naive datetime is refused."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time without a zone is not a point in time")
        moment = value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if dialect.name == "sqlite" else value.astimezone(UTC)


class PlainText(TypeDecorator[str]):
    """Text from strangers. PostgreSQL cannot hold NUL, so it becomes U+FFFD everywhere."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 -- SQLAlchemy's name
        return value.replace("\x00", "\ufffd") if value is not None else None


# Compared byte by byte, so that keys order alike on both databases whatever the cluster's locale.
OrderedText = Text().with_variant(Text(collation="C"), "postgresql")


class Base(DeclarativeBase):
    """Every table's base."""

    metadata = MetaData(naming_convention=NAMING)
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        datetime: UtcDateTime,
        str: PlainText,
        dict[str, Any]: JSON,
        list[str]: JSON,
        list[dict[str, Any]]: JSON,
    }


def new_id(now: datetime) -> str:
    """A new id of 22 characters: 11 for the time (microseconds), 11 random. Later ids sort after earlier ones."""
    moment = (now - _EPOCH) // timedelta(microseconds=1)
    digits = []
    for _ in range(11):
        digits.append(_ALPHABET[moment & 31])
        moment >>= 5
    return "".join(reversed(digits)) + "".join(secrets.choice(_ALPHABET) for _ in range(11))
