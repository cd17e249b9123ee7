"""A hub that had releases before it kept a journal enters them, each once, and how each stands."""

from base64 import b64decode

from hub_server.journal import actions as journal
from hub_server.kernel.caller import operator
from hub_server.moderation import actions as moderation
from hub_server.publishing import actions, queries
from hub_server.publishing.actions import missing_entries
from schemas.journal.entries import Act, Statement
from tests.making.action_driver import ActionDriver
from tests.making.altered_library import alter_library

SUMS = "alice/small-sums"


def entries(driver: ActionDriver) -> list[Statement]:
    items = driver.ask(None, journal.list_entries, 0, 100).items
    return [Statement.parse(b64decode(item.envelope.payload)) for item in items]


def acts(driver: ActionDriver) -> list[tuple[str, str | None]]:
    return [(entry.act.value, entry.version) for entry in entries(driver)]


def test_older_releases_are_entered_once_in_the_order_of_their_publishes(driver: ActionDriver, monkeypatch) -> None:
    monkeypatch.setattr(missing_entries, "_BATCH", 2)
    alice = driver.person("alice")
    for version in ("1.0", "2.0", "3.0"):
        driver.publish(alice, version=version)
    driver.do(alice, actions.yank_release, SUMS, "1.0", "broken")
    driver.do(operator(), moderation.take_down_release, SUMS, "2.0", "malware")
    driver.forget_journal()
    driver.publish(alice, version="4.0")
    uploaded = driver.clock.now()
    driver.clock.advance(3600)
    assert actions.enter_missing_releases(driver.services) == 3
    published = [entry.at for entry in entries(driver) if entry.act is Act.PUBLISH]
    assert max(published) < uploaded, "they were public before the hub kept a journal"
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
    driver.forget_journal()
    ids = [row[0] for row in driver.rows("SELECT id FROM releases ORDER BY id")]
    assert actions.enter_missing_releases(driver.services) == 2
    assert asked == ["", *ids]


def test_a_batch_costs_as_many_statements_however_many_releases_it_enters(driver: ActionDriver) -> None:
    """A look for the key, the owner and the tree at each was 689 releases a second."""
    alice, counts = driver.person("alice"), []
    for number in (1, 4):
        while len(driver.rows("SELECT id FROM releases")) < number:
            driver.publish(alice, version=f"{len(driver.rows('SELECT id FROM releases')) + 1}.0")
        driver.forget_journal()
        with driver.statements() as sent:
            assert actions.enter_missing_releases(driver.services) == number
        counts.append(len(sent))
    assert counts[0] == counts[1]


def test_it_says_what_it_does_how_far_it_is_and_ends_when_told_to(driver: ActionDriver, monkeypatch) -> None:
    monkeypatch.setattr(missing_entries, "_BATCH", 1)
    alice, said = driver.person("alice"), []
    for version in ("1.0", "2.0", "3.0"):
        driver.publish(alice, version=version)
    driver.forget_journal()
    assert actions.enter_missing_releases(driver.services, said.append, lambda: len(journal_rows(driver)) == 1) == 1
    enter_releases = missing_entries.enter_releases

    def slowly(*given) -> None:
        driver.clock.advance(3)
        enter_releases(*given)

    monkeypatch.setattr(missing_entries, "enter_releases", slowly)
    assert actions.enter_missing_releases(driver.services, said.append) == 2
    assert said == [
        "Entering 3 releases in the journal, published before this hub kept one.",
        "Entering 2 releases in the journal, published before this hub kept one.",
        "2 of 2 releases entered in the journal.",
        "The journal names 2 releases more: it is complete.",
    ]


def test_others_write_between_two_batches(driver: ActionDriver, monkeypatch) -> None:
    """SQLite's lock goes to whoever looks first, and a waiting writer looks every 0.1 s: it waited for the last batch."""
    monkeypatch.setattr(missing_entries, "_BATCH", 1)
    alice, pauses = driver.person("alice"), []
    for version in ("1.0", "2.0"):
        driver.publish(alice, version=version)
    driver.forget_journal()

    def write_meanwhile(seconds: float) -> None:
        pauses.append((seconds, len(journal_rows(driver))))
        driver.do(alice, actions.yank_release, SUMS, f"{len(pauses)}.0", "broken")

    alter_library(monkeypatch, missing_entries, "time", sleep=write_meanwhile)
    actions.enter_missing_releases(driver.services)
    assert [seconds > 0.1 for seconds, _ in pauses] == [True, True]
    assert [act for act, _ in acts(driver)] == ["publish", "yanked", "publish", "yanked"]


def journal_rows(driver: ActionDriver) -> list[tuple]:
    return driver.rows("SELECT position FROM journal_entries")
