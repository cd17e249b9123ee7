"""The state of a mirror, for its operator and its pages; and which hub a data folder mirrors."""

import math
from collections.abc import Mapping

from hub_server.journal import actions as journal
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.mirror import queries
from schemas.wording import counted


def gauges(work: UnitOfWork) -> tuple[tuple[str, str, str, Mapping[str, float]], ...]:
    """For Prometheus: seconds since the other hub was last asked, and what waits; nothing of a hub of its own."""
    followed = journal.find_followed(work.session)
    if followed is None:
        return ()
    counts = {"waiting": queries.count_waiting(work.session), "not_whole": queries.count_problems(work.session)}
    since = (work.now - followed.asked_at).total_seconds() if followed.asked_at is not None else math.inf
    ages = {"stopped" if followed.is_stopped else "following": max(0.0, since)}
    return (
        ("verihub_mirror_age_seconds", "Seconds since the other hub was last asked for news.", "state", ages),
        ("verihub_mirror_packages", "Packages of a mirror that are not as the other hub has them.", "state", counts),
    )


def describe(services: Services) -> str:
    """One line: how far the mirror is, what is missing, or why it has stopped."""
    with services.database.reading() as session:
        followed = journal.find_followed(session)
        if followed is None:
            return "no"
        if followed.is_stopped:
            return f"stopped: {followed.problem}"
        if followed.problem:
            return f"waits: {followed.problem}"
        waiting, lacking = queries.count_waiting(session), queries.problems(session, 1)
        parts = [f"{counted(followed.size, 'entry', 'entries')} of {followed.url}"]
        if followed.asked_at is None:
            parts.append("not whole yet")
        else:
            parts.append(f"asked {followed.asked_at:%Y-%m-%d %H:%M:%S} UTC")
        if waiting:
            parts.append(f"{counted(waiting, 'package')} to bring up to date")
        if lacking:
            count = queries.count_problems(session)
            parts.append(f"{counted(count, 'package')} not whole, such as: {lacking[0].problem}")
        return ("behind: " if waiting or lacking or followed.asked_at is None else "ok: ") + ", ".join(parts)
