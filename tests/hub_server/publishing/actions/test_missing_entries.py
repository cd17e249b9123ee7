"""A hub that had releases before it kept a journal enters them, each once, and how each stands."""

from base64 import b64decode

from sqlalchemy import text

from hub_server.journal import actions as journal
from hub_server.kernel.caller import operator
from hub_server.moderation import actions as moderation
from hub_server.publishing import actions, queries
from hub_server.publishing.actions import missing_entries
from schemas.journal.entries import Statement
from tests.making.action_driver import ActionDriver

SUMS = "alice/small-sums"


def acts(driver: ActionDriver) -> list[tuple[str, str | None]]:
    items = driver.ask(None, journal.list_entries, 0, 100).items
    entries = [Statement.parse(b64decode(item.envelope.payload)) for item in items]
    return [(entry.act.value, entry.version) for entry in entries]


def test_older_releases_are_entered_once_in_the_order_of_their_publishes(driver: ActionDriver, monkeypatch) -> None:
    monkeypatch.setattr(missing_entries, "_BATCH", 2)
    alice = driver.person("alice")
    for version in ("1.0", "2.0", "3.0"):
        driver.publish(alice, version=version)
    driver.do(alice, actions.yank_release, SUMS, "1.0", "broken")
    driver.do(operator(), moderation.take_down_release, SUMS, "2.0", "malware")
    with driver.writing() as work:
        for table in ("journal_entries", "journal_nodes"):
            work.session.execute(text(f"DELETE FROM {table}"))
    driver.publish(alice, version="4.0")
    assert actions.enter_missing_releases(driver.services) == 3
    assert acts(driver) == [
        ("publish", "4.0"), ("publish", "1.0"), ("yanked", "1.0"), ("publish", "2.0"), ("taken_down", "2.0"), ("publish", "3.0"),
    ]  # fmt: skip
    assert actions.enter_missing_releases(driver.services) == 0
    assert len(acts(driver)) == 6
    assert list(driver.ask(None, journal.tree_faults)) == []


def test_no_batch_looks_again_at_what_earlier_ones_entered(driver: ActionDriver, monkeypatch) -> None:
    """At 139,000 of 500,000 releases an entry cost ten times what the first had, and the hub was not serving yet."""
    monkeypatch.setattr(missing_entries, "_BATCH", 1)
    asked: list[str] = []
    look = queries.releases_without_entry
    monkeypatch.setattr(
        queries, "releases_without_entry", lambda session, *more: asked.append(more[0]) or look(session, *more)
    )
    alice = driver.person("alice")
    for version in ("1.0", "2.0"):
        driver.publish(alice, version=version)
    with driver.writing() as work:
        for table in ("journal_entries", "journal_nodes"):
            work.session.execute(text(f"DELETE FROM {table}"))
        ids = list(work.session.execute(text("SELECT id FROM releases ORDER BY id")).scalars())
    assert actions.enter_missing_releases(driver.services) == 2
    assert asked == ["", *ids]
