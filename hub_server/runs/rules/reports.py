"""Pure decisions about runs: what a client may send at once."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from hub_server.errors import InvalidRequestError
from schemas.names import InvalidNameError, canonical_version, check_package_id
from schemas.run import RewardChange, RunOutcome

KINDS = ("training", "evaluation")
MAX_POINTS = 2000  # chosen, not measured
MAX_ROLLOUTS = 2000  # chosen, not measured
MAX_METRICS_A_POINT = 500  # chosen, not measured

MAX_RUN_BYTES = 2**18
"""Of a run's settings, pins and rewards as JSON; its summary and outcomes may be as large. Lists and comparisons show
up to a hundred runs whole: with 60,000 rewards of each, comparing four took 9 s of CPU (the page 20 s)."""
MAX_REWARD = 1e100  # beyond it the difference of two rewards may be infinite


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


def check_summary(summary: Mapping[str, RewardChange]) -> None:
    """Refuse a mean outside its own interval, and numbers so large that their difference is none."""
    for name, change in summary.items():
        for low, value, high in (
            (change.before_low, change.before, change.before_high),
            (change.after_low, change.after, change.after_high),
        ):
            if not -MAX_REWARD <= low <= value <= high <= MAX_REWARD:
                raise InvalidRequestError(
                    f"The summary of {name!r} says {value:g} ({low:g} to {high:g}): a mean lies in its interval, "
                    f"between -{MAX_REWARD:g} and {MAX_REWARD:g}."
                )


def check_size(data: Mapping[str, Any], what: str) -> None:
    """Refuse what would make every list that shows it slow."""
    size = len(json.dumps(data, ensure_ascii=False).encode())
    if size > MAX_RUN_BYTES:
        raise InvalidRequestError(f"{what} takes {size} bytes as JSON; the limit is {MAX_RUN_BYTES}.")


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
