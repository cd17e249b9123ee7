"""What a reference means: exact, latest, range, digest; and what each kind of reader may have of it."""

import pytest

from hub_server.catalog import actions
from hub_server.catalog.errors import PackageNotFoundError, QuarantinedError, ReleaseNotFoundError
from hub_server.errors import InvalidRequestError
from schemas.package import AuditSummary
from tests.hub_server.site.samples import summary
from tests.making.action_driver import ActionDriver, caller, person

ALICE, MODA = caller("alice"), person("moda", is_moderator=True)
PACKAGE = "alice/small-sums"
VERSIONS = ("1.0.0", "1.2.0", "1.10.0", "2.0.0b1")


@pytest.fixture
def hub(driver: ActionDriver) -> ActionDriver:
    driver.person("alice")
    for version in VERSIONS:
        driver.publish(ALICE, version=version)
    return driver


def fact(hub: ActionDriver, version: str, name: str, reason: str | None) -> None:
    with hub.writing() as work:
        actions.set_fact(work, actions.resolve_release(work, PACKAGE, version), name, reason)


def meant(hub: ActionDriver, selector: str) -> str:
    return hub.ask(None, actions.get_release, PACKAGE, selector).version


@pytest.mark.parametrize(
    ("selector", "version"),
    [
        ("latest", "1.10.0"), ("1.0.0", "1.0.0"), ("1.0", "1.0.0"), ("1", "1.0.0"), ("2.0.0b1", "2.0.0b1"),
        (">=1", "1.10.0"), (">=1,<1.10", "1.2.0"), ("==1.2.*", "1.2.0"), ("~=1.2", "1.10.0"), ("!=1.10.0", "1.2.0"),
    ],
)  # fmt: skip
def test_a_selector_means_one_release(hub: ActionDriver, selector: str, version: str) -> None:
    assert meant(hub, selector) == version


@pytest.mark.parametrize("selector", ["3.0.0", ">=3", "1.0.1", "sha256:" + "0" * 64, "<1"])
def test_what_is_not_there_is_not_found_with_what_is(hub: ActionDriver, selector: str) -> None:
    with pytest.raises(ReleaseNotFoundError, match=r"1\.10\.0"):
        meant(hub, selector)


@pytest.mark.parametrize("selector", ["no version", "@", "sha256:xyz", ">=", "\x00", "1.0.0+local", "é"])
def test_what_is_no_selector_is_refused_or_not_found(hub: ActionDriver, selector: str) -> None:
    with pytest.raises((InvalidRequestError, ReleaseNotFoundError)):
        meant(hub, selector)


def test_a_digest_means_its_release_in_its_own_package_only(hub: ActionDriver) -> None:
    digest = hub.ask(None, actions.get_release, PACKAGE, "1.2.0").digest
    assert meant(hub, digest) == "1.2.0"
    hub.publish(ALICE, "alice/other")
    with pytest.raises(ReleaseNotFoundError):
        hub.ask(None, actions.get_release, "alice/other", digest)


@pytest.mark.parametrize("name", ["yanked", "quarantined"])
def test_ranges_and_latest_pass_over_what_must_not_be_used_and_exact_names_do_not(hub: ActionDriver, name: str) -> None:
    digest = hub.ask(None, actions.get_release, PACKAGE, "1.10.0").digest
    fact(hub, "1.10.0", name, "wrong")
    assert (meant(hub, "latest"), meant(hub, ">=1")) == ("1.2.0", "1.2.0")
    assert (meant(hub, "1.10.0"), meant(hub, digest)) == ("1.10.0", "1.10.0")


def test_a_blocked_release_is_in_no_range(hub: ActionDriver) -> None:
    with hub.writing() as work:
        row = actions.resolve_release(work, PACKAGE, "1.10.0")
        actions.record_audit_summary(work, row.id, summary("1.10.0", 0, 40, 0, 40), "a case came back")
    assert (meant(hub, "latest"), meant(hub, ">=1"), meant(hub, "1.10.0")) == ("1.2.0", "1.2.0", "1.10.0")


def test_without_a_usable_release_the_answer_says_what_to_name(hub: ActionDriver) -> None:
    for version in VERSIONS[:3]:
        fact(hub, version, "yanked", "")
    with pytest.raises(ReleaseNotFoundError, match=r"name one of 2\.0\.0b1, 1\.10\.0"):
        meant(hub, "latest")


@pytest.mark.parametrize(
    "package", ["", "alice", "alice/none", "a/b/c", "Alice/Small-Sums", "../x", "alice/\x00", "é/é"]
)
def test_what_is_no_package_is_not_found(hub: ActionDriver, package: str) -> None:
    for act in (actions.get_package, actions.get_release, actions.list_releases):
        with pytest.raises(PackageNotFoundError):
            hub.ask(None, act, package)
    assert hub.ask(None, actions.find_release, package, "latest") is None


@pytest.mark.parametrize(("by", "is_let"), [(None, False), (ALICE, False), (caller("bob"), False), (MODA, True)])
def test_quarantine_stops_everybody_but_moderators_its_owner_too(hub: ActionDriver, by, is_let: bool) -> None:
    fact(hub, "1.2.0", "quarantined", "steals tokens")
    assert hub.ask(by, actions.get_release, PACKAGE, "1.2.0").state == "quarantined", "visible to all"
    if is_let:
        assert hub.ask(by, actions.usable_release, PACKAGE, "1.2.0").version == "1.2.0"
    else:
        with pytest.raises(QuarantinedError, match="steals tokens"):
            hub.ask(by, actions.usable_release, PACKAGE, "1.2.0")


def test_a_yanked_release_can_be_had_by_its_name(hub: ActionDriver) -> None:
    fact(hub, "1.2.0", "yanked", "wrong")
    assert hub.ask(None, actions.usable_release, PACKAGE, "1.2.0").state == "yanked"


def test_releases_are_paged_by_version_and_not_by_text(hub: ActionDriver) -> None:
    seen, cursor = [], None
    while True:
        page = hub.ask(None, actions.list_releases, PACKAGE, cursor=cursor, limit=3)
        seen += [release.version for release in page.items]
        if (cursor := page.next) is None:
            break
    assert seen == ["2.0.0b1", "1.10.0", "1.2.0", "1.0.0"]
    assert [one.version for one in hub.ask(None, actions.get_package, PACKAGE).releases] == seen


FOREIGN = (
    'format = 1\nid = "alice/borrows"\nkind = "environment"\ntasks = { train = "tasks.jsonl" }\n'
    'verifier = "alice/small-sums@1.2.0"\n'
)


def test_the_audit_that_speaks_for_a_release_is_its_own_or_that_of_the_verifier_it_borrows(hub: ActionDriver) -> None:
    borrowing = hub.publish(ALICE, "alice/borrows", manifest=FOREIGN)
    assert hub.ask(None, actions.find_judging_audit, borrowing) is None
    judged = summary("1.2.0", 1, 40, 0, 40)
    with hub.writing() as work:
        row = actions.resolve_release(work, PACKAGE, "1.2.0")
        actions.record_audit_summary(work, row.id, judged, "")
    assert hub.ask(None, actions.find_judging_audit, borrowing) == ("alice/small-sums@1.2.0", judged)
    own: AuditSummary = summary("1.0.0", 2, 40, 0, 40)
    release = borrowing.model_copy(update={"audit": own})
    assert hub.ask(None, actions.find_judging_audit, release) == ("alice/borrows@1.0.0", own)


def test_a_packages_answer_is_bounded_and_reads_no_readme_of_a_release_that_is_not_shown(
    hub: ActionDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(actions.releases, "MOST_RELEASES", 2)
    found = hub.ask(None, actions.get_package, PACKAGE)
    count = hub.rows("SELECT count(*) FROM releases WHERE package_id = :id", id=PACKAGE)[0][0]
    assert count > 2
    assert (len(found.releases), found.release_count) == (2, count)
    with hub.statements() as sent:
        hub.ask(None, actions.list_all_releases, PACKAGE)
    assert len(sent) == 4  # two of them begin the transaction
    assert not any("releases.readme" in statement for statement in sent)


def test_the_head_of_a_page_loads_one_release_and_counts_the_others(hub: ActionDriver) -> None:
    count = len(VERSIONS)
    with hub.reading() as work, hub.statements() as sent:
        found = actions.get_package_head(work, PACKAGE)
        again = [actions.get_package_head(work, PACKAGE).card.id, actions.get_release(work, PACKAGE).package]
    assert (len(found.releases), found.release_count, found.readme) == (1, count, "")
    assert found.card == hub.ask(None, actions.get_package, PACKAGE).card
    assert again == [PACKAGE, PACKAGE]
    assert sum("FROM packages" in one and "packages.summary" in one for one in sent) == 1
    assert sum("releases.manifest" in one for one in sent) == 1, "the latest is the one that the page shows"
