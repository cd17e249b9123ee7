"""Signatures of reports: the hub signs what it measured, and anybody can check it against the hub's keys."""

from dataclasses import dataclass
from typing import Literal

from hub_server.journal import actions as journal
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.evidence.audit import AuditReport


@dataclass(frozen=True)
class SignatureCheck:
    """``signed``: by a key of this hub. ``foreign``: valid, by another key. ``broken``: changed after signing."""

    state: Literal["signed", "unsigned", "foreign", "broken"]
    key_id: str = ""
    reason: str = ""


def sign_report(work: UnitOfWork, report: AuditReport) -> AuditReport:
    """Sign the report with the hub's key, and remember the key as one of the hub's."""
    journal.remember_key(work)
    return work.services.signer.sign(report)


def check_report(work: UnitOfWork, report: AuditReport) -> SignatureCheck:
    """Whether this hub signed exactly this report."""
    if not report.signature:
        return SignatureCheck("unsigned")
    try:
        key_id = work.services.signer.check(report)
    except ValueError as error:
        return SignatureCheck("broken", reason=str(error))
    known = {key.id for key in journal.list_signing_keys(work).items}
    return SignatureCheck("signed" if key_id in known else "foreign", key_id)
