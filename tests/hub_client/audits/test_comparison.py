"""What changes from one release to the next, and which counter-examples of the hub a release must face."""

import httpx
import pytest

from hub_client.audits.comparison import community_cases, community_cases_if_reachable, compare_verifiers, replay_cases
from hub_client.client import Hub
from hub_client.environments import Verifier
from hub_client.errors import HubUnreachableError, NotLoggedInError
from hub_client.settings import ClientSettings
from schemas.evidence.cases import AuditCase, Label
from schemas.evidence.counter_examples import CaseState, CounterExample
from schemas.verdict import Verdict
from tests.fakes.runner import FakeRunner
from tests.hub_client.test_environments import load
from tests.making.scripted_hub import NOW, URL, ScriptedHub, problem


def counter(name, state, label=Label.INCORRECT, **more):
    case = AuditCase(id=name, task={"id": "t", "answer": 2}, response="two", label=label)
    return CounterExample(
        id=name, package="alice/small-sums", case=case, state=state, submitted_by="bob", submitted_at=NOW, against="1.0.0",
        **more,
    )  # fmt: skip


class Sides(FakeRunner):
    """The old verifier accepts nothing but the answer; the new one says ``new(request)``."""

    def __init__(self, new):
        super().__init__(new)
        self.new = new

    def score(self, package, calls, isolation=None):
        for call in calls:
            old = float(call.response == str((call.task or {}).get("answer")))
            value = old if package.version == "1.0.0" else self.new(call)
            if value != "lost":
                yield call.id, Verdict(rewards={"correct": value})


def sides():
    old, new = load(), load(version="1.1.0")
    object.__setattr__(new, "version", "1.1.0")
    return Verifier(old, old, lambda: None), Verifier(new, new, lambda: None)


def replayed(new, community=()):
    return replay_cases(*sides(), Sides(new), community)


def test_the_same_verdicts_are_no_change():
    found = replayed(lambda call: float(call.response == str(call.task["answer"])), [counter("c", CaseState.FIXED)])
    assert (found.flips, found.replayed, found.community, found.held_back_by) == ([], 3, 1, [])


@pytest.mark.parametrize(
    ("value", "becomes"), [(1.0, {"a2": "wrong"}), (0.0, {"a1": "wrong"}), (None, {"a1": "unjudged", "a2": "unjudged"})]
)
def test_each_change_says_what_it_means_for_the_label(value, becomes):
    found = replayed(lambda _: value)
    assert {flip.case: flip.becomes for flip in found.flips} == becomes
    assert all(flip.new == value for flip in found.flips)


def test_a_sandbox_that_loses_a_verdict_leaves_it_unjudged():
    assert {flip.becomes for flip in replayed(lambda _: "lost").flips} == {"unjudged"}


@pytest.mark.parametrize("value", [1.0, None])
def test_a_fixed_case_that_returns_or_cannot_be_judged_holds_the_release_back(value):
    cases = [
        counter("f", CaseState.FIXED, counted_by="owner"),
        counter("h", CaseState.AGREED, counted_by="moderator"),
        counter("o", CaseState.OPEN),
        counter("c", CaseState.REPRODUCED),
    ]
    assert replayed(lambda _: value, cases).held_back_by == ["f", "h"]


def test_what_counts_for_nothing_waits_or_stands_on_accounts_of_standing_alone_holds_nothing_back():
    """The check said that the hub would hold the release back, and the hub did not."""
    cases = [
        counter("n", CaseState.FIXED, counted_by=""),
        counter("w", CaseState.FIXED, counted_by="labels", corroborated_by="owner", waits=True),
        counter("s", CaseState.AGREED, counted_by="labels"),
        counter("v", CaseState.AGREED, counted_by="labels", corroborated_by="verifiers"),
    ]
    assert replayed(lambda _: 1.0, cases).held_back_by == ["v"]


def test_a_verifier_agrees_with_itself_and_the_digests_are_named():
    first, _ = sides()
    found = compare_verifiers(first, first, Sides(lambda _: 1.0), probes=False)
    assert (found.judged, found.agreed, found.disagreement_count) == (2, 2, 0)
    assert found.first_digest == found.second_digest == first.digest


@pytest.fixture
def hub():
    scripted = ScriptedHub()
    with Hub(settings=ClientSettings(url=URL), transport=httpx.MockTransport(scripted)) as made:
        made.scripted = scripted
        yield made


PATH = "/packages/alice/small-sums/cases"


def test_refuted_cases_need_not_be_faced_and_an_unknown_package_has_none(hub):
    assert community_cases(hub, "alice/small-sums") == []
    rows = [counter(state.value, state).model_dump(mode="json") for state in CaseState]
    hub.scripted.on("GET", PATH, {"items": rows})
    assert {one.state for one in community_cases(hub, "alice/small-sums")} == set(CaseState) - {CaseState.REFUTED}


def test_a_hub_whose_list_goes_in_circles_is_left(hub):
    hub.scripted.on("GET", PATH, {"items": [], "next": "again"})
    with pytest.raises(HubUnreachableError, match="no end"):
        community_cases(hub, "alice/small-sums")
    assert len(hub.scripted.asked) == 2


def test_only_an_absent_hub_is_excused(hub):
    def refuse(request):
        raise httpx.ConnectError("no route", request=request)

    hub.scripted.on("GET", PATH, problem(401, "not_authenticated", "who are you"))
    with pytest.raises(NotLoggedInError):
        community_cases_if_reachable(hub, "alice/small-sums")
    hub.scripted.on("GET", PATH, refuse)
    assert community_cases_if_reachable(hub, "alice/small-sums") is None
