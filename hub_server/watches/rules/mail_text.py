"""The mail about what happened to watched packages: its subject and its text."""

from collections import Counter
from collections.abc import Sequence

from schemas.events import Event, EventKind

MOST_LINES = 100
MOST_OF_OWNER = 25
"""So many lines of one owner a mail has: whoever does a thousand things hides nobody else's."""
_WORDS = {
    EventKind.RELEASE_PUBLISHED: "{subject} was published",
    EventKind.RELEASE_DEPRECATED: "{subject} is deprecated",
    EventKind.RELEASE_YANKED: "{subject} was yanked",
    EventKind.RELEASE_QUARANTINED: "{subject} is quarantined: it can neither be downloaded nor run",
    EventKind.RELEASE_TAKEN_DOWN: "{subject} was taken down",
    EventKind.RELEASE_RESTORED: "{subject} can be used again",
    EventKind.PACKAGE_MADE_PUBLIC: "{subject} is public now",
    EventKind.PACKAGE_TRANSFERRED: "{subject} belongs to {owner} now",
    EventKind.PACKAGE_ARCHIVED: "{subject} is archived: no more releases come",
    EventKind.PACKAGE_REOPENED: "{subject} goes on: it is archived no more",
    EventKind.GRADE_CHANGED: "{subject} has the grade {grade}, and had {before}",
    EventKind.CASE_COUNTS: "{subject}: a counter-example counts from now on",
    EventKind.DISCUSSION_OPENED: "{subject}: {by} began a discussion",
    EventKind.DISCUSSION_REPLIED: "{subject}: {by} replied in a discussion",
}
TOLD = frozenset(kind.value for kind in _WORDS)
"""The kinds of events that are mailed."""


def line_of(event: Event, url: str) -> str:
    """One event as a line of a mail, with the address of its page."""
    subject = event.package or event.owner
    if event.version and event.kind is not EventKind.GRADE_CHANGED:
        subject = f"{subject} {event.version}"
    facts = {"grade": "", "before": "", "by": "", **event.facts}
    words = _WORDS[event.kind].format(
        subject=subject, owner=event.owner, grade=facts["grade"], before=facts["before"], by=facts["by"]
    )
    discussion = f"/discussions/{facts['discussion']}" if "discussion" in facts else ""
    return f"- {words}\n  {url}/packages/{event.package}{discussion}"


def subject_of(events: Sequence[Event]) -> str:
    """The subject of a mail: the package where there is one, else how many."""
    packages = sorted({event.package or event.owner for event in events})
    return f"News of {packages[0]}" if len(packages) == 1 else f"News of {len(packages)} packages"


def text_of(events: Sequence[Event], url: str, unsubscribe: str) -> str:
    """The text of a mail."""
    lines, told = [], Counter[str]()
    for event in events[:MOST_LINES]:
        told[event.owner] += 1
        if told[event.owner] <= MOST_OF_OWNER:
            lines.append(line_of(event, url))
        elif told[event.owner] == MOST_OF_OWNER + 1:
            lines.append(f"- and more of {event.owner}: {url}/owners/{event.owner}")
    if len(events) > MOST_LINES:
        lines.append(f"- and more: {url}/api/v1/events")
    return (
        "\n".join(lines) + f"\n\nYou watch this on {url or 'the hub'}. What you watch, and how often you are mailed: "
        f"{url}/account/watches\nNo more of these mails: {unsubscribe}\n"
    )
