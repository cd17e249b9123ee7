"""Who may report, see, decide, quarantine and hide; and that nothing moderators do goes unsaid."""

from dataclasses import replace

import pytest

from hub_server.accounts.errors import AccountNotFoundError
from hub_server.catalog.actions import get_release, usable_release
from hub_server.catalog.errors import PackageNotFoundError, QuarantinedError, ReleaseNotFoundError
from hub_server.collections.actions import write_collection
from hub_server.collections.errors import CollectionNotFoundError
from hub_server.errors import InvalidRequestError, NotAllowedError, NotAuthenticatedError
from hub_server.kernel.caller import Caller
from hub_server.moderation import actions
from hub_server.moderation.errors import ReportNotFoundError, TooManyReportsError
from schemas.account import Scope
from schemas.collections import CollectionWrite
from schemas.moderation import (
    CollectionReportCreate,
    OwnerReportCreate,
    ReportCreate,
    ReportDecision,
    ReportReason,
    Suspension,
)
from tests.making.action_driver import EVERY_SCOPE, ActionDriver, caller, person

ALICE, BOB, MODA = caller("alice"), caller("bob"), person("moda", is_moderator=True)
READER = caller("bob", scopes=EVERY_SCOPE - {Scope.CASES})
PACKAGE = "alice/small-sums"
BODY = ReportCreate(reason="malware", text="it reads /etc/passwd")
DISMISSED = ReportDecision(state="dismissed", decision="it reads its own file")


@pytest.fixture
def hub(driver: ActionDriver) -> ActionDriver:
    for name in ("alice", "bob", "moda"):
        driver.person(name)
    driver.publish(ALICE)
    return driver


def reported(hub: ActionDriver, by: Caller = BOB, **more):
    return hub.do(by, actions.report_package, PACKAGE, BODY.model_copy(update=more))


@pytest.mark.parametrize(
    ("by", "error"),
    [(None, NotAuthenticatedError), (READER, NotAllowedError), (BOB, None), (ALICE, None), (MODA, None)],
    ids=["nobody", "token without cases", "stranger", "owner", "moderator"],
)
def test_anybody_with_an_account_reports_even_the_owner(hub: ActionDriver, by: Caller | None, error) -> None:
    if error is None:
        assert hub.do(by, actions.report_package, PACKAGE, BODY).reporter == by.name
    else:
        with pytest.raises(error):
            hub.do(by, actions.report_package, PACKAGE, BODY)


def test_what_is_reported_exists(hub: ActionDriver) -> None:
    for package in ("alice/none", "nonsense", "", "a/b/c", "\x00/x"):
        with pytest.raises(PackageNotFoundError):
            hub.do(BOB, actions.report_package, package, BODY)
    with pytest.raises(ReleaseNotFoundError):
        reported(hub, version="9.9.9")
    assert hub.rows("SELECT id FROM reports") == []


def test_a_second_report_joins_the_first_and_says_what_it_is_about_where_that_differs(hub: ActionDriver) -> None:
    """A moderator who sees only the first reason and release would miss the graver one."""
    first = reported(hub, reason=ReportReason.SPAM, text="an advertisement")
    again = reported(hub, reason=ReportReason.MALWARE, text="and it steals", version="1.0.0")
    assert (again.id, again.reason) == (first.id, ReportReason.SPAM)
    assert again.text == "an advertisement\n\n[malware, 1.0.0] and it steals"
    same = reported(hub, reason=ReportReason.SPAM, text="again")
    assert same.text.endswith("\n\nagain")
    assert len(hub.rows("SELECT id FROM reports")) == 1


def test_reports_of_two_accounts_are_two_and_one_after_a_decision_is_new(hub: ActionDriver) -> None:
    first, others = reported(hub), reported(hub, MODA)
    assert first.id != others.id
    hub.do(MODA, actions.decide_report, first.id, DISMISSED)
    assert reported(hub).id != first.id


def test_one_account_cannot_fill_the_database_by_one_report(hub: ActionDriver) -> None:
    for _ in range(6):
        report = reported(hub, text="x" * 4000)
    assert len(report.text) <= 16_000


@pytest.mark.parametrize(
    ("by", "error"),
    [
        (None, NotAuthenticatedError), (ALICE, ReportNotFoundError), (caller("carol"), ReportNotFoundError),
        (BOB, None), (MODA, None), (READER, None),
    ],
    ids=["nobody", "the package's owner", "stranger", "reporter", "moderator", "reporter by a narrow token"],
)  # fmt: skip
def test_a_report_is_for_its_sender_and_moderators(hub: ActionDriver, by: Caller | None, error) -> None:
    report = reported(hub)
    if error is None:
        assert hub.ask(by, actions.get_report, report.id) == report
    else:
        with pytest.raises(error):
            hub.ask(by, actions.get_report, report.id)


MODERATORS_ALONE = (
    (actions.list_reports, ()),
    (actions.decide_report, ("x", DISMISSED)),
    (actions.quarantine_release, (PACKAGE, "1.0.0", "steals")),
    (actions.release_from_quarantine, (PACKAGE, "1.0.0", "does not")),
    (actions.hide_case, (PACKAGE, "x", "a name")),
    (actions.show_case, (PACKAGE, "x", "no name")),
)


@pytest.mark.parametrize(("act", "rest"), MODERATORS_ALONE, ids=[act.__name__ for act, _ in MODERATORS_ALONE])
@pytest.mark.parametrize(
    ("by", "error"), [(None, NotAuthenticatedError), (ALICE, NotAllowedError), (BOB, NotAllowedError)]
)
def test_everything_else_is_a_moderators_and_leaves_no_trace_for_others(
    hub: ActionDriver, act, rest, by, error
) -> None:
    with pytest.raises(error):
        hub.do(by, act, *rest)
    assert hub.rows("SELECT id FROM moderation_events") == []
    assert hub.rows("SELECT state FROM releases") == [("active",)]


@pytest.mark.parametrize("reason", ["", " ", "\n\t "])
def test_a_quarantine_needs_words(hub: ActionDriver, reason: str) -> None:
    with pytest.raises(InvalidRequestError, match="reason"):
        hub.do(MODA, actions.quarantine_release, PACKAGE, "1.0.0", reason)


def test_a_quarantine_is_logged_with_the_exact_version_that_it_hit(hub: ActionDriver) -> None:
    hub.do(MODA, actions.quarantine_release, PACKAGE, "latest", "steals")
    hub.do(MODA, actions.release_from_quarantine, PACKAGE, "1.0.0", "does not")
    events = hub.ask(None, actions.list_events).items
    assert [(one.action, one.version, one.actor, one.reason) for one in events] == [
        ("release", "1.0.0", "moda", "does not"),
        ("quarantine", "1.0.0", "moda", "steals"),
    ]


def test_what_is_not_quarantined_cannot_be_let_go(hub: ActionDriver) -> None:
    with pytest.raises(InvalidRequestError, match="not quarantined"):
        hub.do(MODA, actions.release_from_quarantine, PACKAGE, "1.0.0", "x")
    assert hub.ask(None, actions.list_events).items == []


def test_in_quarantine_a_release_is_usable_for_moderators_alone(hub: ActionDriver) -> None:
    hub.do(MODA, actions.quarantine_release, PACKAGE, "1.0.0", "steals")
    assert hub.ask(None, get_release, PACKAGE, "1.0.0").state_reason == "steals"
    for by in (None, ALICE, BOB):
        with pytest.raises(QuarantinedError, match="steals"):
            hub.ask(by, usable_release, PACKAGE, "1.0.0")
    assert hub.ask(MODA, usable_release, PACKAGE, "1.0.0").version == "1.0.0"


def test_a_decision_ends_a_report_with_words_and_is_in_the_log(hub: ActionDriver) -> None:
    report = reported(hub)
    ended = hub.do(MODA, actions.decide_report, report.id, DISMISSED)
    assert (ended.state, ended.decision, ended.decided_by) == ("dismissed", DISMISSED.decision, "moda")
    assert ended.decided_at is not None
    (event,) = hub.ask(None, actions.list_events).items
    assert (event.action, event.reason, event.package) == ("decide", DISMISSED.decision, PACKAGE)
    with pytest.raises(ReportNotFoundError):
        hub.do(MODA, actions.decide_report, "none", DISMISSED)


def test_lists_name_their_states_and_go_through_every_row(hub: ActionDriver) -> None:
    made = [reported(hub, caller(f"u{n}")).id for n in range(3)]
    hub.do(MODA, actions.decide_report, made[0], DISMISSED)
    first = hub.ask(MODA, actions.list_reports, limit=1)
    assert first.facets == {"state": {"dismissed": 1, "open": 2}}
    rest = hub.ask(MODA, actions.list_reports, cursor=first.next)
    assert [one.id for one in [*first.items, *rest.items]] == [made[2], made[1]]
    assert rest.next is None
    assert len(hub.ask(MODA, actions.list_reports, state=None).items) == 3
    for state in ("closed", "", "OPEN"):
        with pytest.raises(InvalidRequestError, match="open, acted, dismissed"):
            hub.ask(MODA, actions.list_reports, state=state)
    with pytest.raises(InvalidRequestError, match="cursor"):
        hub.ask(MODA, actions.list_events, cursor=first.next)


def test_the_log_is_for_everybody_and_by_package(hub: ActionDriver) -> None:
    hub.publish(ALICE, "alice/other")
    for package in (PACKAGE, "alice/other"):
        hub.do(MODA, actions.quarantine_release, package, "1.0.0", "steals")
    assert [one.package for one in hub.ask(None, actions.list_events, package="alice/other").items] == ["alice/other"]
    page = hub.ask(BOB, actions.list_events, limit=1)
    assert page.next is not None
    assert [one.package for one in hub.ask(None, actions.list_events, cursor=page.next).items] == [PACKAGE]


COLLECTION = CollectionReportCreate(reason="spam", text="it sells watches")


@pytest.fixture
def listed(hub: ActionDriver) -> ActionDriver:
    for name, visibility in (("good-ones", "public"), ("own-ones", "private")):
        hub.do(ALICE, write_collection, "alice", name, CollectionWrite(title="Ones", visibility=visibility))
    return hub


@pytest.mark.parametrize(
    ("by", "error"),
    [(None, NotAuthenticatedError), (READER, NotAllowedError), (BOB, None), (ALICE, None), (MODA, None)],
    ids=["nobody", "token without cases", "stranger", "owner", "moderator"],
)
def test_anybody_with_an_account_reports_a_collection(listed: ActionDriver, by: Caller | None, error) -> None:
    if error is not None:
        with pytest.raises(error):
            listed.do(by, actions.report_collection, "alice", "good-ones", COLLECTION)
        return
    sent = listed.do(by, actions.report_collection, "alice", "good-ones", COLLECTION)
    assert (sent.package, sent.collection, sent.reporter) == (None, "alice/good-ones", by.name)
    [seen] = listed.ask(MODA, actions.list_reports).items
    assert seen == sent


def test_reports_of_a_collection_join_and_those_of_a_package_are_others(listed: ActionDriver) -> None:
    first = listed.do(BOB, actions.report_collection, "alice", "good-ones", COLLECTION)
    package = reported(listed)
    worse = CollectionReportCreate(reason="malware", text="it leads to a thief")
    again = listed.do(BOB, actions.report_collection, "alice", "good-ones", worse)
    assert (again.id, again.text) == (first.id, "it sells watches\n\n[malware] it leads to a thief")
    assert package.id != first.id
    assert (package.package, package.collection) == (PACKAGE, "")


@pytest.mark.parametrize(
    ("by", "name", "error"),
    [
        (BOB, "own-ones", CollectionNotFoundError),
        (BOB, "gone", CollectionNotFoundError),
        (BOB, "\x00", CollectionNotFoundError),
    ],
)
def test_a_private_or_missing_collection_is_not_reported_and_its_name_stays_out_of_the_log(
    listed: ActionDriver, by: Caller, name: str, error
) -> None:
    with pytest.raises(error):
        listed.do(by, actions.report_collection, "alice", name, COLLECTION)
    assert listed.rows("SELECT id FROM reports") == []


def test_what_became_of_a_reported_collection_stands_in_the_log(listed: ActionDriver) -> None:
    sent = listed.do(BOB, actions.report_collection, "alice", "good-ones", COLLECTION)
    ended = listed.do(MODA, actions.decide_report, sent.id, DISMISSED)
    assert (ended.state, ended.collection) == ("dismissed", "alice/good-ones")
    [event] = listed.ask(None, actions.list_events).items
    assert (event.action, event.package, event.collection) == ("decide", None, "alice/good-ones")


def spam(hub: ActionDriver, count: int) -> list[str]:
    """Packages of mallory's that bob has reported; returns the reports."""
    hub.person("mallory")
    reports = []
    for number in range(count):
        hub.publish(caller("mallory"), f"mallory/spam-{number}")
        reports.append(hub.do(BOB, actions.report_package, f"mallory/spam-{number}", BODY).id)
    return reports


def test_one_act_ends_the_reports_about_everything_that_an_account_has(hub: ActionDriver) -> None:
    """Three hundred packages would be three hundred decisions, each with a second factor."""
    ended, other = spam(hub, 3), reported(hub)
    hub.do(MODA, actions.suspend_account, "mallory", Suspension(reason="only advertises", hide_content=True))
    assert [one.id for one in hub.ask(MODA, actions.list_reports).items] == [other.id]
    for report_id in ended:
        report = hub.ask(BOB, actions.get_report, report_id)
        assert (report.state, report.decided_by) == ("acted", "moda")
        assert "only advertises" in report.decision


def test_a_suspension_that_hides_nothing_leaves_the_reports_to_be_decided(hub: ActionDriver) -> None:
    ended = spam(hub, 1)
    hub.do(MODA, actions.suspend_account, "mallory", Suspension(reason="a stolen account"))
    assert [one.id for one in hub.ask(MODA, actions.list_reports).items] == ended


def test_a_takedown_ends_the_reports_about_the_package(hub: ActionDriver) -> None:
    ended, other = spam(hub, 1), reported(hub)
    hub.do(MODA, actions.take_down_package, "mallory/spam-0", "a court order")
    assert hub.ask(BOB, actions.get_report, ended[0]).state == "acted"
    assert hub.ask(BOB, actions.get_report, other.id).state == "open"


def test_reports_are_no_weapon_of_an_account_that_is_hidden(hub: ActionDriver) -> None:
    honest, _ = reported(hub, MODA), reported(hub)
    hub.do(MODA, actions.suspend_account, "bob", Suspension(reason="reports everybody", hide_content=True))
    page = hub.ask(MODA, actions.list_reports)
    assert ([one.id for one in page.items], page.facets["state"]) == ([honest.id], {"open": 1})
    hub.do(MODA, actions.unsuspend_account, "bob", "it was somebody else")
    assert len(hub.ask(MODA, actions.list_reports).items) == 2


def test_one_account_has_so_many_reports_open_and_no_more(hub: ActionDriver) -> None:
    limits = hub.services.settings.limits.model_copy(update={"open_reports": 2})
    settings = hub.services.settings.model_copy(update={"limits": limits})
    hub.services = replace(hub.services, settings=settings)
    first, *_ = spam(hub, 2)
    with pytest.raises(TooManyReportsError, match="2 of your reports"):
        reported(hub)
    assert hub.do(BOB, actions.report_package, "mallory/spam-0", BODY).id == first, "what is open can be added to"
    hub.do(MODA, actions.decide_report, first, DISMISSED)
    assert reported(hub).state == "open"


OWNER = OwnerReportCreate(reason="dishonest", text="it says that it is another")


@pytest.mark.parametrize(
    ("by", "error"),
    [(None, NotAuthenticatedError), (READER, NotAllowedError), (BOB, None), (MODA, None)],
    ids=["nobody", "token without cases", "stranger", "moderator"],
)
def test_anybody_with_an_account_reports_an_owner(hub: ActionDriver, by: Caller | None, error) -> None:
    if error is not None:
        with pytest.raises(error):
            hub.do(by, actions.report_owner, "alice", OWNER)
        return
    sent = hub.do(by, actions.report_owner, "alice", OWNER)
    assert (sent.package, sent.collection, sent.account, sent.reporter) == (None, "", "alice", by.name)
    [seen] = hub.ask(MODA, actions.list_reports).items
    assert seen == sent


def test_reports_of_an_owner_join_and_others_are_apart(hub: ActionDriver) -> None:
    first = hub.do(BOB, actions.report_owner, "alice", OWNER)
    again = hub.do(BOB, actions.report_owner, "alice", OwnerReportCreate(reason="spam", text="and floods"))
    assert (again.id, again.text) == (first.id, "it says that it is another\n\n[spam] and floods")
    assert len({first.id, reported(hub).id, hub.do(BOB, actions.report_owner, "bob", OWNER).id}) == 3


def test_nobody_who_does_not_exist_is_reported(hub: ActionDriver) -> None:
    for name in ("gone", "\x00"):
        with pytest.raises(AccountNotFoundError):
            hub.do(BOB, actions.report_owner, name, OWNER)


def test_a_suspension_ends_the_reports_about_its_account(hub: ActionDriver) -> None:
    sent = hub.do(BOB, actions.report_owner, "alice", OWNER)
    hub.do(MODA, actions.suspend_account, "alice", Suspension(reason="it was another"))
    assert hub.ask(MODA, actions.get_report, sent.id).state == "acted"


@pytest.mark.parametrize("text", [" ", "\n\t", "\u2003"])
def test_a_report_without_words_is_refused_whatever_sends_it(listed: ActionDriver, text: str) -> None:
    """The page and the command ask for words; a program could send none, thirty times an account."""
    sending = (
        (actions.report_package, (PACKAGE, BODY.model_copy(update={"text": text}))),
        (actions.report_collection, ("alice", "good-ones", COLLECTION.model_copy(update={"text": text}))),
        (actions.report_owner, ("alice", OWNER.model_copy(update={"text": text}))),
    )
    for act, arguments in sending:
        with pytest.raises(InvalidRequestError, match="Say what you saw"):
            listed.do(BOB, act, *arguments)
    assert listed.rows("SELECT id FROM reports") == []
