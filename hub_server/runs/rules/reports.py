"""Pure decisions about runs: what a client may send at once."""

from datetime import UTC, datetime

from hub_server.errors import InvalidRequestError
from schemas.names import InvalidNameError, canonical_version, check_package_id
from schemas.run import RunOutcome

KINDS = ("training", "evaluation")
MAX_POINTS = 2000  # chosen, not measured
MAX_ROLLOUTS = 2000  # chosen, not measured
MAX_METRICS_A_POINT = 500  # chosen, not measured


def check_kind(kind: str) -> str:
    """``kind`` when it is one."""
    if kind not in KINDS:
        raise InvalidRequestError(f"kind={kind!r} is unknown: use training or evaluation.")
    return kind


def check_release(package: str, version: str) -> None:
    """Refuse what cannot name a release: ``owner/name`` and a version."""
    try:
        check_package_id(package)
        canonical_version(version)
    except InvalidNameError as error:
        raise InvalidRequestError(str(error)) from None


def check_outcome(outcome: RunOutcome) -> None:
    """Refuse numbers that no evaluation gives: a claim of a million tries would be drawn without an interval."""
    tried, won, rate = outcome.attempts, outcome.successes, outcome.pass_rate
    name = f"The outcome in {outcome.environment}"
    if won > tried:
        raise InvalidRequestError(f"{name} has {won} successes of {tried} attempts.")
    if outcome.tries > tried:
        raise InvalidRequestError(f"{name} claims {outcome.tries:g} independent tries of {tried} attempts.")
    if outcome.task_count == 0 < tried:
        raise InvalidRequestError(f"{name} has {tried} attempts at no task.")
    if rate is not None and (tried == 0 or (won == 0) != (rate == 0) or (won == tried) != (rate == 1)):
        raise InvalidRequestError(f"{name} has a pass rate of {rate:g} with {won} successes of {tried} attempts.")


def check_count(count: int, at_most: int, what: str) -> None:
    """Refuse a batch that is too large."""
    if count > at_most:
        raise InvalidRequestError(f"{count} {what} at once; the limit is {at_most}: send them in parts.")


def check_number(value: int | None, what: str) -> None:
    """Refuse a number below 0, or above what a database column holds (2147483647)."""
    if value is not None and not 0 <= value < 2**31:
        raise InvalidRequestError(f"{what} must be 0 to 2147483647, not {value}.")


def check_moment(value: datetime | None) -> datetime | None:
    """``value`` in UTC. Refuses a time without a zone, which is not a point in time, and what UTC cannot say."""
    if value is None:
        return None
    if value.tzinfo is None:
        raise InvalidRequestError(f"at={value.isoformat()} has no zone: send UTC, for example {value.isoformat()}Z.")
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise InvalidRequestError(
            f"at={value.isoformat()} is no time in UTC: send one such as 2026-01-31T12:00:00Z."
        ) from None
