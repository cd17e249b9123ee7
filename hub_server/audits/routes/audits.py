"""Audits and counter-examples over HTTP."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request

from hub_server.audits import actions
from hub_server.audits.actions import ExecutedCase, PreparedCase
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.web.admission import admissions_of
from hub_server.web.dependencies import CredentialsDep, ReadTransaction, ServicesDep, WriteTransaction, authenticated
from hub_server.web.idempotency import IdempotencyKeyDep
from hub_server.web.openapi import PROBLEMS
from hub_server.web.senders import sender_of
from schemas.evidence.audit import AuditRecord
from schemas.evidence.cases import AuditCase
from schemas.evidence.counter_examples import BatchDispute, CounterExample, LabelReport, Reason
from schemas.evidence.suite_leaderboard import SuiteLeaderboard
from schemas.page import Page

router = APIRouter(prefix="/api/v1", tags=["audits"], responses=PROBLEMS)


@router.get("/packages/{owner}/{name}/audits", summary="Audits of every release, newest first")
def list_package_audits(
    owner: str, name: str, work: ReadTransaction, cursor: str | None = None, limit: int = 20
) -> Page[AuditRecord]:
    return actions.list_audits(work, f"{owner}/{name}", cursor=cursor, limit=limit)


@router.get("/packages/{owner}/{name}/releases/{version}/audits", summary="Audits of a release, newest first")
def list_release_audits(
    owner: str, name: str, version: str, work: ReadTransaction, cursor: str | None = None, limit: int = 20
) -> Page[AuditRecord]:
    return actions.list_audits(work, f"{owner}/{name}", version, cursor=cursor, limit=limit)


@router.post("/packages/{owner}/{name}/releases/{version}/audits", status_code=202, summary="Measure a release again")
def request_audit(owner: str, name: str, version: str, work: WriteTransaction, key: IdempotencyKeyDep) -> AuditRecord:
    return key.answer(work, AuditRecord, lambda: actions.request_audit(work, f"{owner}/{name}", version))


@router.get("/packages/{owner}/{name}/leaderboard", summary="Verifiers on a suite, by their rates")
def read_suite_leaderboard(owner: str, name: str, work: ReadTransaction) -> SuiteLeaderboard:
    return actions.get_suite_leaderboard(work, f"{owner}/{name}")


@router.get("/audits/{audit_id}", summary="One audit with its report")
def read_audit(audit_id: str, work: ReadTransaction) -> AuditRecord:
    return actions.get_audit(work, audit_id)


async def executed_case(  # noqa: PLR0917 -- FastAPI fills them by name
    owner: str,
    name: str,
    version: str,
    body: AuditCase,
    request: Request,
    services: ServicesDep,
    credentials: CredentialsDep,
) -> ExecutedCase:
    """The submitted case, run through the verifier before the request's transaction begins. The wait is bounded."""

    def prepare() -> PreparedCase:
        with services.database.reading() as session:
            work = authenticated(UnitOfWork(session, services), request, credentials)
            return actions.prepare_case(work, f"{owner}/{name}", version, body)

    calls = admissions_of(request).calls
    async with calls.slot(sender_of(request)):
        prepared = await calls.in_thread(prepare)
        return await actions.execute_case_within(services, prepared, services.settings.execution.case_seconds)


@router.post("/packages/{owner}/{name}/releases/{version}/cases", status_code=201, summary="Submit a counter-example")
def submit_case(executed: Annotated[ExecutedCase, Depends(executed_case)], work: WriteTransaction) -> CounterExample:
    return actions.submit_case(work, executed)


@router.get("/packages/{owner}/{name}/cases", summary="Counter-examples, newest first")
def list_cases(
    owner: str, name: str, work: ReadTransaction, state: str | None = None, cursor: str | None = None, limit: int = 50
) -> Page[CounterExample]:
    return actions.list_cases(work, f"{owner}/{name}", state=state, cursor=cursor, limit=limit)


@router.get("/packages/{owner}/{name}/cases/{case_id}", summary="One counter-example")
def read_case(owner: str, name: str, case_id: str, work: ReadTransaction) -> CounterExample:
    return actions.get_case(work, f"{owner}/{name}", case_id)


@router.post("/packages/{owner}/{name}/cases/dispute", summary="Dispute several cases at once, as the owner")
def dispute_cases(owner: str, name: str, body: BatchDispute, work: WriteTransaction) -> Page[CounterExample]:
    return Page[CounterExample](items=actions.dispute_cases(work, f"{owner}/{name}", body))


@router.post("/packages/{owner}/{name}/cases/report", status_code=201, summary="Report a wrong label of a suite's case")
def report_label(owner: str, name: str, body: LabelReport, work: WriteTransaction) -> CounterExample:
    return actions.report_label(work, f"{owner}/{name}", body.case, body.reason)


@router.post("/packages/{owner}/{name}/cases/{case_id}/second", summary="Say that a case's label is right")
def second_case(owner: str, name: str, case_id: str, work: WriteTransaction) -> CounterExample:
    return actions.second_case(work, f"{owner}/{name}", case_id)


@router.post("/packages/{owner}/{name}/cases/{case_id}/dispute", summary="Say that a case's label is wrong")
def dispute_case(owner: str, name: str, case_id: str, body: Reason, work: WriteTransaction) -> CounterExample:
    return actions.dispute_case(work, f"{owner}/{name}", case_id, body.reason)
