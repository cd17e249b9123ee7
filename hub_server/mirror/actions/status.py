"""How a mirror stands, for its operator and its pages; and which hub a data folder mirrors."""

from hub_server.journal import actions as journal
from hub_server.kernel.services import Services
from hub_server.mirror import queries
from schemas.wording import counted


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
