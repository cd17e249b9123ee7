"""Nobody reads, counts or ends a report about themselves, whatever their power."""

from dataclasses import replace

import pytest

from hub_server.accounts.actions import remove_member
from hub_server.collections.actions import write_collection
from hub_server.discussions.actions import delete_post, open_discussion, reply
from hub_server.kernel.caller import Caller, operator
from hub_server.moderation import actions
from hub_server.moderation.errors import ReportNotFoundError
from hub_server.ownership import actions as ownership
from schemas.collections import CollectionWrite
from schemas.discussions import DiscussionCreate, PostWrite
from schemas.moderation import CollectionReportCreate, OwnerReportCreate, ReportCreate, ReportDecision, Suspension
from schemas.ownership import TransferCreate
from tests.making.action_driver import ActionDriver, caller, person

BOB, MODA, MODB = caller("bob"), person("moda", is_moderator=True), person("modb", is_moderator=True)
BODY = ReportCreate(reason="malware", text="it reads /etc/passwd")
OWNER = OwnerReportCreate(reason="dishonest", text="it says that it is another")
DISMISSED = ReportDecision(state="dismissed", decision="it does not")


@pytest.fixture
def hub(driver: ActionDriver) -> ActionDriver:
    for name in ("alice", "bob", "moda", "modb"):
        driver.person(name)
    driver.organization("lab", moda="member", alice="owner")
    driver.publish(caller("alice"))
    return driver


def listed(hub: ActionDriver, by: Caller) -> list[str]:
    """The reports that somebody sees; the counts of them agree."""
    page = hub.ask(by, actions.list_reports)
    assert page.facets["state"].get("open", 0) == len(page.items)
    return [one.id for one in page.items]


def about_themselves(hub: ActionDriver) -> str:
    return hub.do(BOB, actions.report_owner, "moda", OWNER).id


def about_their_organization(hub: ActionDriver) -> str:
    return hub.do(BOB, actions.report_owner, "lab", OWNER).id


def about_their_package(hub: ActionDriver) -> str:
    hub.publish(MODA, "moda/judge")
    return hub.do(BOB, actions.report_package, "moda/judge", BODY).id


def about_what_they_gave_away(hub: ActionDriver) -> str:
    hub.publish(MODA, "moda/judge")
    hub.do(MODA, ownership.offer_package, "moda/judge", TransferCreate(to="alice"))
    hub.do(person("alice"), lambda work: ownership.answer_transfer(work, "moda/judge", accept=True))
    return hub.do(BOB, actions.report_package, "moda/judge", BODY).id


def about_their_organizations_package(hub: ActionDriver) -> str:
    hub.publish(replace(caller("alice"), organizations=frozenset({"lab"}), maintained=frozenset({"lab"})), "lab/judge")
    return hub.do(BOB, actions.report_package, "lab/judge", BODY).id


def about_their_collection(hub: ActionDriver) -> str:
    hub.do(MODA, write_collection, "moda", "ones", CollectionWrite(title="Ones", visibility="public"))
    about = CollectionReportCreate(reason="spam", text="it sells watches")
    return hub.do(BOB, actions.report_collection, "moda", "ones", about).id


def about_their_post(hub: ActionDriver) -> str:
    begun = hub.do(BOB, open_discussion, "alice/small-sums", DiscussionCreate(title="Why?", text="it fails"))
    hub.do(MODA, reply, "alice/small-sums", begun.id, PostWrite(text="you are a fool"))
    about = BODY.model_copy(update={"discussion": begun.id, "post": 2})
    return hub.do(BOB, actions.report_package, "alice/small-sums", about).id


@pytest.mark.parametrize(
    "report",
    [
        about_themselves, about_their_organization, about_their_package, about_what_they_gave_away,
        about_their_organizations_package, about_their_collection, about_their_post,
    ],
    ids=lambda report: report.__name__,
)  # fmt: skip
def test_who_is_reported_neither_sees_nor_ends_it_and_others_do(hub: ActionDriver, report) -> None:
    sent = report(hub)
    for by in (MODA, replace(MODA, only_owner="alice")):
        assert listed(hub, by) == []
        with pytest.raises(ReportNotFoundError):
            hub.ask(by, actions.get_report, sent)
        with pytest.raises(ReportNotFoundError):
            hub.do(by, actions.decide_report, sent, DISMISSED)
    for by in (MODB, operator()):
        assert listed(hub, by) == [sent]
        assert hub.ask(by, actions.get_report, sent).state == "open"
    assert hub.do(MODB, actions.decide_report, sent, DISMISSED).decided_by == "modb"


def test_what_is_about_others_is_seen_by_all_moderators(hub: ActionDriver) -> None:
    """A post that somebody else wrote about a moderator's package is not the moderator's."""
    hub.publish(MODA, "moda/judge")
    begun = hub.do(BOB, open_discussion, "moda/judge", DiscussionCreate(title="Buy", text="watches"))
    sent = [
        hub.do(caller("alice"), actions.report_package, "moda/judge", BODY.model_copy(update={"discussion": begun.id})).id,
        hub.do(BOB, actions.report_package, "alice/small-sums", BODY).id,
        hub.do(BOB, actions.report_owner, "modb", OWNER).id,
    ]  # fmt: skip
    assert sorted(listed(hub, MODA)) == sorted(sent)


def test_a_moderator_who_reports_themselves_reads_what_they_sent(hub: ActionDriver) -> None:
    sent = hub.do(MODA, actions.report_owner, "moda", OWNER)
    assert hub.ask(MODA, actions.get_report, sent.id) == sent


def test_another_act_does_not_end_it_either(hub: ActionDriver) -> None:
    """A suspension of one's own organisation that is undone at once would have ended every report about it."""
    organization, package = about_their_organization(hub), about_their_organizations_package(hub)
    for act, rest in (
        (actions.suspend_account, ("lab", Suspension(reason="mine", hide_content=True))),
        (actions.unsuspend_account, ("lab", "mine")),
        (actions.take_down_package, ("lab/judge", "mine")),
    ):
        hub.do(MODA, act, *rest)
    assert sorted(listed(hub, MODB)) == sorted([package, organization])
    hub.do(MODB, actions.suspend_account, "lab", Suspension(reason="both", hide_content=True))
    assert listed(hub, MODB) == []


@pytest.mark.parametrize("report", [about_themselves, about_their_organization, about_their_package, about_their_post])
def test_a_report_does_not_vanish_when_its_subject_hides_who_sent_it(hub: ActionDriver, report) -> None:
    """A reported moderator suspended the sender, and nobody saw the report any more: not even the operator."""
    sent = report(hub)
    spam = hub.do(BOB, actions.report_package, "alice/small-sums", BODY).id if report is not about_their_post else ""
    hub.do(MODA, actions.suspend_account, "bob", Suspension(reason="spam", hide_content=True))
    for by in (MODB, operator()):
        assert listed(hub, by) == [sent], "but what else the account sent is out of the list"
    assert listed(hub, MODA) == []
    assert spam not in listed(hub, MODB)
    hub.do(MODB, actions.decide_report, sent, DISMISSED)


def test_a_report_stays_with_others_when_its_subject_deletes_the_post(hub: ActionDriver) -> None:
    sent = about_their_post(hub)
    ((discussion,),) = hub.rows("SELECT discussion FROM reports")
    hub.do(MODA, delete_post, "alice/small-sums", discussion, 2)
    assert (listed(hub, MODA), listed(hub, MODB)) == ([], [sent])


def test_who_leaves_an_organisation_does_not_get_to_see_what_is_about_it(hub: ActionDriver) -> None:
    sent = about_their_organization(hub)
    hub.do(MODA, remove_member, "lab", "moda")
    assert (listed(hub, MODA), listed(hub, MODB)) == ([], [sent])
