"""Calls about audits and counter-examples: where each goes, and that no name or id leads it elsewhere."""

import json

import pytest
from pydantic import ValidationError

from hub_client.transport.requests import audits
from schemas.evidence.cases import AuditCase, Label
from schemas.names import InvalidNameError

CASE = AuditCase(id="c", task={"id": "t"}, response="4", label=Label.INCORRECT)
PACKAGE = "alice/sums"
CALLS = {
    "second": audits.second_case,
    "dispute": lambda name, one: audits.dispute_case(name, one, "wrong"),
    "settle": lambda name, one: audits.settle_case(name, one, "upheld", "right"),
}


@pytest.mark.parametrize(
    ("call", "method", "path"),
    [
        (audits.list_audits(PACKAGE, "1.0.0"), "GET", "/packages/alice/sums/releases/1.0.0/audits"),
        (audits.start_audit(PACKAGE, "1.0.0"), "POST", "/packages/alice/sums/releases/1.0.0/audits"),
        (audits.signed_report("a1"), "GET", "/audits/a1/report.json"),
        (audits.list_keys(), "GET", "/keys"),
        (audits.list_cases(PACKAGE), "GET", "/packages/alice/sums/cases"),
        (audits.submit_case(PACKAGE, "1.0.0", CASE), "POST", "/packages/alice/sums/releases/1.0.0/cases"),
        (audits.report_label(PACKAGE, "c1", "wrong"), "POST", "/packages/alice/sums/cases/report"),
        (audits.dispute_cases(PACKAGE, "wrong"), "POST", "/packages/alice/sums/cases/dispute"),
        *((make(PACKAGE, "c1"), "POST", f"/packages/alice/sums/cases/c1/{word}") for word, make in CALLS.items()),
    ],
)
def test_where_each_call_goes(call, method, path):
    assert (call.method, call.path.removeprefix("/api/v1")) == (method, path)
    assert call.is_repeatable is (method == "GET")


@pytest.mark.parametrize("word", CALLS)
@pytest.mark.parametrize("case_id", ["../../../account", "x/y", "x?y", "x#y", "%2e%2e/x"])
def test_no_case_id_leads_elsewhere(word, case_id):
    path = CALLS[word](PACKAGE, case_id).path.removeprefix("/api/v1")
    assert (path.count("/"), path.rsplit("/", 1)[1]) == (6, word)
    assert not set("?#") & set(path)


@pytest.mark.parametrize("word", CALLS)
def test_no_package_name_leads_elsewhere(word):
    with pytest.raises(InvalidNameError):
        CALLS[word]("alice/../bob", "c1")


def test_an_audit_id_of_a_hostile_hub_stays_one_step():
    assert audits.signed_report("../keys?x").path.removeprefix("/api/v1") == "/audits/..%2Fkeys%3Fx/report.json"


def test_a_state_and_a_cursor_are_sent_only_when_given():
    assert audits.list_cases(PACKAGE).params == {}
    assert audits.list_cases(PACKAGE, state="open", cursor="n").params == {"state": "open", "cursor": "n"}


def test_reasons_and_rulings_travel_in_the_body():
    assert json.loads(audits.dispute_case(PACKAGE, "c", "it is 5").content) == {"reason": "it is 5"}
    settled = audits.settle_case(PACKAGE, "c", "relabelled", "it is 5")
    assert json.loads(settled.content) == {"ruling": "relabelled", "reason": "it is 5"}
    assert json.loads(audits.dispute_cases(PACKAGE, "spam").content)["cases"] == []


@pytest.mark.parametrize("reason", ["", "x" * 2001])
def test_many_cases_are_not_disputed_without_a_reason_that_fits(reason):
    with pytest.raises(ValidationError):
        audits.dispute_cases(PACKAGE, reason)


def test_a_report_comes_as_it_was_signed():
    signed = {"signature": "ed25519:a:b", "field_of_a_newer_hub": [1]}
    assert audits.signed_report("a").read(signed) == signed
