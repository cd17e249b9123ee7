"""The labelling queue over HTTP."""

from fastapi import APIRouter, Request

from hub_server.audits import actions
from hub_server.kernel.work import Work
from hub_server.web.admission import runs_code
from hub_server.web.dependencies import CredentialsDep, PartsDep, ReadWork, WriteWork, authenticated
from hub_server.web.openapi import PROBLEMS
from schemas.labels import LabelAgreement, LabelQuestion, LabelRequest, NextQuestion, QueuedJob
from schemas.page import Page

router = APIRouter(prefix="/api/v1", tags=["labels"], responses=PROBLEMS)


@router.get("/label/questions", summary="Open questions, the most informative first")
def list_questions(
    work: ReadWork, package: str | None = None, cursor: str | None = None, limit: int = 20
) -> Page[LabelQuestion]:
    return actions.list_questions(work, package, cursor=cursor, limit=limit)


@router.get("/label/next", summary="The most informative question that you have not answered")
def next_question(work: ReadWork, package: str | None = None) -> NextQuestion:
    return actions.next_question(work, package)


@router.get("/label/questions/{question_id}", summary="One question; others' labels once you have given yours")
def read_question(question_id: str, work: ReadWork) -> LabelQuestion:
    return actions.get_question(work, question_id)


@router.post("/label/questions/{question_id}/labels", status_code=201, summary="Answer a question")
@runs_code
def give_label(
    question_id: str, body: LabelRequest, request: Request, parts: PartsDep, credentials: CredentialsDep
) -> LabelQuestion:
    """When people agree, the response becomes a community case, executed before this answers."""

    def as_caller(work: Work) -> Work:
        return authenticated(work, request, credentials)

    actions.answer_question(parts, as_caller, question_id, body)
    with parts.database.reading() as session:
        return actions.get_question(as_caller(Work(session, parts)), question_id)


@router.post("/packages/{owner}/{name}/label/gather", status_code=202, summary="Look for disagreements now")
def gather(owner: str, name: str, work: WriteWork) -> QueuedJob:
    return actions.request_gathering(work, f"{owner}/{name}")


@router.get("/packages/{owner}/{name}/agreement", summary="How far people agree on this package's labels")
def read_agreement(owner: str, name: str, work: ReadWork) -> LabelAgreement:
    return actions.get_agreement(work, f"{owner}/{name}")
