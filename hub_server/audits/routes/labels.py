"""The labelling queue over HTTP."""

from fastapi import APIRouter, Request

from hub_server.audits import actions
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.web.admission import runs_code
from hub_server.web.dependencies import CredentialsDep, ReadTransaction, ServicesDep, WriteTransaction, authenticated
from hub_server.web.openapi import PROBLEMS
from schemas.evidence.labels import LabelAgreement, LabelQuestion, LabelRequest, NextQuestion, QueuedJob
from schemas.page import Page

router = APIRouter(prefix="/api/v1", tags=["labels"], responses=PROBLEMS)


@router.get("/label/questions", summary="Open questions, the most informative first")
def list_questions(
    work: ReadTransaction, package: str | None = None, cursor: str | None = None, limit: int = 20
) -> Page[LabelQuestion]:
    return actions.list_questions(work, package, cursor=cursor, limit=limit)


@router.get("/label/next", summary="The most informative question that you have not answered")
def next_question(work: ReadTransaction, package: str | None = None) -> NextQuestion:
    return actions.next_question(work, package)


@router.get("/label/questions/{question_id}", summary="One question; others' labels once you have given yours")
def read_question(question_id: str, work: ReadTransaction) -> LabelQuestion:
    return actions.get_question(work, question_id)


@router.get("/runs/{run_id}/rollouts/{number}/question", summary="The question about a rollout's response")
def read_question_of_rollout(run_id: str, number: int, work: ReadTransaction) -> LabelQuestion:
    """404 with the reason where people are not asked about it."""
    return actions.get_question_of_rollout(work, run_id, number)


@router.post("/label/questions/{question_id}/labels", status_code=201, summary="Answer a question")
@runs_code
def give_label(
    question_id: str, body: LabelRequest, request: Request, services: ServicesDep, credentials: CredentialsDep
) -> LabelQuestion:
    """When people agree, the response becomes a community case, executed before this answers."""

    def as_caller(work: UnitOfWork) -> UnitOfWork:
        return authenticated(work, request, credentials)

    actions.answer_question(services, as_caller, question_id, body)
    with services.database.reading() as session:
        return actions.get_question(as_caller(UnitOfWork(session, services)), question_id)


@router.post("/packages/{owner}/{name}/label/gather", status_code=202, summary="Look for disagreements now")
def gather(owner: str, name: str, work: WriteTransaction) -> QueuedJob:
    return actions.request_gathering(work, f"{owner}/{name}")


@router.get("/packages/{owner}/{name}/agreement", summary="How far people agree on this package's labels")
def read_agreement(owner: str, name: str, work: ReadTransaction) -> LabelAgreement:
    return actions.get_agreement(work, f"{owner}/{name}")
