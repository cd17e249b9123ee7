"""Audit reports and the community's counter-examples."""

from typing import Any, Literal
from urllib.parse import quote

from hub_client.transport.requests.call import ApiCall
from hub_client.transport.requests.packages import package_path, release_path
from schemas.evidence.audit import AuditRecord
from schemas.evidence.cases import AuditCase
from schemas.evidence.counter_examples import BatchDispute, CounterExample, LabelReport, Reason, Ruling
from schemas.journal.signing_keys import SigningKeys
from schemas.page import Page


def list_audits(package_id: str, version: str) -> ApiCall[Page[AuditRecord]]:
    """The audits of a release, newest first."""
    return ApiCall.get(f"{release_path(package_id, version)}/audits", Page[AuditRecord].read)


def start_audit(package_id: str, version: str) -> ApiCall[AuditRecord]:
    """Queue another audit of a release."""
    return ApiCall.send("POST", f"{release_path(package_id, version)}/audits", AuditRecord.read)


def signed_report(audit_id: str) -> ApiCall[dict[str, Any]]:
    """A report exactly as it was signed, byte for byte."""
    return ApiCall.get(f"/audits/{quote(audit_id, safe='')}/report.json", dict)


def list_keys() -> ApiCall[SigningKeys]:
    """The public keys with which the hub signs reports, now and in the past."""
    return ApiCall.get("/keys", SigningKeys.read)


def list_cases(
    package_id: str, *, state: str | None = None, cursor: str | None = None
) -> ApiCall[Page[CounterExample]]:
    """The counter-examples submitted against a package, newest first."""
    return ApiCall.get(f"{package_path(package_id)}/cases", Page[CounterExample].read, state=state, cursor=cursor)


def submit_case(package_id: str, version: str, case: AuditCase) -> ApiCall[CounterExample]:
    """Submit a counter-example. It is judged at once, or stays open on a busy hub, which judges it later."""
    return ApiCall.send("POST", f"{release_path(package_id, version)}/cases", CounterExample.read, case)


def get_case(package_id: str, case_id: str) -> ApiCall[CounterExample]:
    """One counter-example."""
    return ApiCall.get(_case_path(package_id, case_id), CounterExample.read)


def report_label(suite_id: str, case: str, reason: str) -> ApiCall[CounterExample]:
    """Report that a suite's case has the wrong label."""
    body = LabelReport(case=case, reason=reason)
    return ApiCall.send("POST", f"{package_path(suite_id)}/cases/report", CounterExample.read, body)


def second_case(package_id: str, case_id: str) -> ApiCall[CounterExample]:
    """Say that a case's label is right."""
    return ApiCall.send("POST", f"{_case_path(package_id, case_id)}/second", CounterExample.read)


def dispute_case(package_id: str, case_id: str, reason: str) -> ApiCall[CounterExample]:
    """Say that a case's label is wrong."""
    return ApiCall.send(
        "POST", f"{_case_path(package_id, case_id)}/dispute", CounterExample.read, Reason(reason=reason)
    )


def dispute_cases(package_id: str, reason: str) -> ApiCall[Page[CounterExample]]:
    """As the owner: dispute every case that counts for nothing yet."""
    body = BatchDispute(reason=reason)
    return ApiCall.send("POST", f"{package_path(package_id)}/cases/dispute", Page[CounterExample].read, body)


def settle_case(
    package_id: str, case_id: str, ruling: Literal["upheld", "relabelled", "withdrawn"], reason: str
) -> ApiCall[CounterExample]:
    """End a dispute, or take back one's own case."""
    body = Ruling(ruling=ruling, reason=reason)
    return ApiCall.send("POST", f"{_case_path(package_id, case_id)}/settle", CounterExample.read, body)


def _case_path(package_id: str, case_id: str) -> str:
    return f"{package_path(package_id)}/cases/{quote(case_id, safe='')}"
