"""Who stands for a report: a changed one is broken, another hub's is foreign, and old keys stay good."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hub_server.adapters.ed25519_signer import Ed25519Signer
from hub_server.audits.actions import check_report, sign_report
from hub_server.journal.actions import list_signing_keys
from schemas.evidence.audit import AuditReport
from schemas.evidence.rates import Grade
from tests.making.action_driver import ActionDriver
from tests.making.reports import make_report


@pytest.fixture
def signed(driver: ActionDriver) -> AuditReport:
    return driver.do(None, sign_report, make_report())


def with_key(driver: ActionDriver, path: Path) -> ActionDriver:
    """The same hub after its operator has put another key in place."""
    driver.services = replace(driver.services, signer=Ed25519Signer(path, make=True))
    return driver


def state(driver: ActionDriver, report: AuditReport) -> str:
    return driver.ask(None, check_report, report).state


def test_what_this_hub_signed_is_its_own(driver: ActionDriver, signed: AuditReport) -> None:
    found = driver.ask(None, check_report, signed)
    assert (found.state, found.key_id) == ("signed", driver.services.signer.key_id)
    assert state(driver, make_report()) == "unsigned"


CHANGES = {
    "a better grade": {"grade": Grade.A},
    "another subject": {"subject": "mallory/check@1.0.0"},
    "another wheel": {"digest": "sha256:" + "9" * 64},
    "fewer cases": {"case_count": 1},
    "a cut signature": {"signature": "x"},
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_report_that_was_changed_is_broken(driver: ActionDriver, signed: AuditReport, change) -> None:
    changed = signed.model_copy(update=change)
    if changed == signed:
        changed = signed.model_copy(update={"grade": Grade.F})
    found = driver.ask(None, check_report, changed)
    assert found.state == "broken"
    assert found.reason


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=120))
def test_no_made_up_signature_is_good_and_none_is_a_fault(driver: ActionDriver, signed: AuditReport, text: str) -> None:
    found = state(driver, signed.model_copy(update={"signature": text}))
    assert found == ("unsigned" if text == "" else "signed" if text == signed.signature else "broken")


def test_after_a_rotation_old_reports_stay_good_and_the_new_key_comes_first(
    driver: ActionDriver, signed: AuditReport, tmp_path
) -> None:
    old = driver.services.signer.key_id
    with_key(driver, tmp_path / "second.pem")
    assert state(driver, signed) == "signed"
    newer = driver.do(None, sign_report, make_report(tp=31))
    keys = driver.ask(None, list_signing_keys).items
    assert [(key.id, key.is_current) for key in keys] == [(driver.services.signer.key_id, True), (old, False)]
    assert state(driver, newer) == "signed"


def test_a_sound_report_of_another_hub_is_foreign(driver: ActionDriver, tmp_path: Path) -> None:
    theirs = Ed25519Signer(tmp_path / "theirs.pem", make=True).sign(make_report())
    found = driver.ask(None, check_report, theirs)
    assert (found.state, found.key_id != driver.services.signer.key_id) == ("foreign", True)


def test_a_key_is_known_before_its_first_report_and_written_once(driver: ActionDriver) -> None:
    (key,) = driver.ask(None, list_signing_keys).items
    assert (key.id, key.first_used_at, key.is_current) == (driver.services.signer.key_id, None, True)
    for count in (30, 31):
        driver.do(None, sign_report, make_report(tp=count))
    assert len(driver.rows("SELECT id FROM signing_keys")) == 1
    assert driver.ask(None, list_signing_keys).items[0].first_used_at is not None
