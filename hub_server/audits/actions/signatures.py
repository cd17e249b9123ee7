"""Signatures of reports: the hub signs what it measured, and anybody can check it against the hub's keys."""

from dataclasses import dataclass
from typing import Literal

from hub_server.audits import queries
from hub_server.audits.models import SigningKeyRow
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.audit import AuditReport, SigningKey, SigningKeys


@dataclass(frozen=True)
class SignatureCheck:
    """``signed``: by a key of this hub. ``foreign``: valid, by another key. ``broken``: changed after signing."""

    state: Literal["signed", "unsigned", "foreign", "broken"]
    key_id: str = ""
    reason: str = ""


def sign_report(work: UnitOfWork, report: AuditReport) -> AuditReport:
    """Sign the report with the hub's key, and remember the key as one of the hub's."""
    signer = work.services.signer
    if queries.find_signing_key(work.session, signer.key_id) is None:
        queries.add_signing_key(
            work.session, SigningKeyRow(id=signer.key_id, public_key=signer.public_key, first_used_at=work.now)
        )
    return signer.sign(report)


def list_signing_keys(work: UnitOfWork) -> SigningKeys:
    """The current key, then every earlier key: old reports stay checkable after a rotation."""
    signer = work.services.signer
    rows = {row.id: row for row in queries.signing_keys(work.session)}
    used = rows.pop(signer.key_id, None)
    current = SigningKey(
        id=signer.key_id,
        public_key=signer.public_key,
        first_used_at=used.first_used_at if used is not None else None,
        is_current=True,
    )
    former = [
        SigningKey(id=row.id, public_key=row.public_key, first_used_at=row.first_used_at) for row in rows.values()
    ]
    return SigningKeys(items=[current, *former])


def check_report(work: UnitOfWork, report: AuditReport) -> SignatureCheck:
    """Whether this hub signed exactly this report."""
    if not report.signature:
        return SignatureCheck("unsigned")
    try:
        key_id = work.services.signer.check(report)
    except ValueError as error:
        return SignatureCheck("broken", reason=str(error))
    known = {key.id for key in list_signing_keys(work).items}
    return SignatureCheck("signed" if key_id in known else "foreign", key_id)
