"""The labelling queue: one response at a time, the most informative first; others' labels only after one's own."""

# ruff: noqa: FAST003 -- the address classes of sections.addresses take the path's parts

from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import BaseModel, ConfigDict, Field

from hub_server.audits import actions
from hub_server.audits.errors import QuestionNotFoundError
from hub_server.catalog import actions as catalog
from hub_server.execution import actions as execution
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API, PackageAt
from hub_server.site.sections.package_head import head_of
from hub_server.web.admission import runs_code
from hub_server.web.dependencies import CredentialsDep, ReadTransaction, ServicesDep, WriteTransaction, authenticated
from schemas.evidence.labels import Answer, LabelQuestion, LabelRequest
from schemas.manifest import RewardDeclaration
from schemas.names import InvalidNameError, Reference

router = APIRouter(include_in_schema=False)
MOST_SKIPPED = 20  # chosen, not measured: each is a value more in a statement, and the address holds them
SHOWN_QUEUE = 12


class AnswerForm(BaseModel):
    """One answer; ``back`` is the package whose queue the person works on."""

    model_config = ConfigDict(frozen=True)

    answer: Answer
    note: str = Field(default="", max_length=2000)
    back: str = ""


@router.get("/label")
def label_page(
    request: Request,
    work: ReadTransaction,
    skip: Annotated[list[str], Query()] = [],  # noqa: B006 -- FastAPI copies it
    answered: str = "",
    looking: str = "",
) -> HTMLResponse:
    """The most informative question of the whole hub."""
    return _show(request, work, None, {}, skip=skip[-MOST_SKIPPED:], answered=answered, looking=looking)


@router.get("/packages/{owner}/{name}/label")
def package_label_page(
    request: Request,
    work: ReadTransaction,
    at: PackageAt,
    skip: Annotated[list[str], Query()] = [],  # noqa: B006 -- FastAPI copies it
    answered: str = "",
    looking: str = "",
) -> HTMLResponse:
    """The most informative question of one package."""
    head = head_of(work, at, "Audit")
    context = {**head.context(), "heading_of": "Label", "lead": "Responses on which its verifiers disagree."}
    package = head.detail.card.id
    return _show(request, work, package, context, skip=skip[-MOST_SKIPPED:], answered=answered, looking=looking)


@router.get("/label/{question_id}")
def question_page(request: Request, work: ReadTransaction, question_id: str) -> HTMLResponse:
    """One question, for whoever was sent its address."""
    question = actions.get_question(work, question_id)
    return render(
        request,
        work,
        "label/question.html",
        title=f"Is this right? {question.package}",
        section="Label",
        json_url=f"{API}/label/questions/{question.id}",
        **_question_context(work, question),
        back_url="/label",
        skip_url="",
    )


@router.post("/label/{question_id}")
@runs_code
def answer(
    request: Request,
    services: ServicesDep,
    credentials: CredentialsDep,
    question_id: str,
    form: Annotated[AnswerForm, Form()],
) -> Response:
    """Keep the answer, show what others said, and go on to the next."""

    def as_caller(work: UnitOfWork) -> UnitOfWork:
        return authenticated(work, request, credentials)

    actions.answer_question(services, as_caller, question_id, LabelRequest(answer=form.answer, note=form.note))
    with services.database.reading() as session:
        question = actions.get_question(as_caller(UnitOfWork(session, services)), question_id)
    base = f"/packages/{question.package}/label" if form.back == question.package else "/label"
    return RedirectResponse(f"{base}?{urlencode({'answered': question_id})}", status_code=303)


@router.post("/packages/{owner}/{name}/label/gather")
def look_for_disagreements(work: WriteTransaction, at: PackageAt) -> Response:
    """Let other verifiers judge this package's stored rollouts."""
    actions.request_gathering(work, at.package)
    return RedirectResponse(f"/packages/{at.package}/label?looking=1", status_code=303)


def _show(
    request: Request,
    work: UnitOfWork,
    package: str | None,
    context: dict[str, Any],
    *,
    skip: list[str],
    answered: str,
    looking: str,
) -> HTMLResponse:
    found = actions.next_question(work, package, skip)
    base = f"/packages/{package}/label" if package else "/label"
    question = found.item if work.caller is not None else None
    more = urlencode({"skip": [*skip, question.id]}, doseq=True) if question is not None else ""
    asked = f"?{urlencode({'package': package})}" if package else ""
    return render(
        request,
        work,
        "label/label.html",
        **{**context, "title": f"Label {package}" if package else "Label", "section": "Label"},
        json_url=f"{API}/label/{'next' if work.caller else 'questions'}{asked}",
        package=package,
        left=found.left,
        answered_count=actions.count_answered(work, package),
        settled=actions.find_settled_example(work, package) if question is None else None,
        **_question_context(work, question),
        last=_answered(work, answered) if answered and work.caller is not None else None,
        queue=[] if work.caller is not None else actions.list_questions(work, package, limit=SHOWN_QUEUE).items,
        agreement=actions.get_agreement(work, package) if package else None,
        skip_url=f"{base}?{more}" if question is not None and found.left > len(skip) + 1 else "",
        restart_url=base if skip else "",
        looking=looking,
    )


def _answered(work: UnitOfWork, question_id: str) -> LabelQuestion | None:
    """The question that was answered last; an old or mistyped address names none."""
    try:
        return actions.get_question(work, question_id)
    except QuestionNotFoundError:
        return None


def _question_context(work: UnitOfWork, question: LabelQuestion | None) -> dict[str, Any]:
    """The question, and the declared vector of everybody who judged it."""
    declared: dict[str, dict[str, RewardDeclaration]] = {}
    if question is not None:
        own = execution.declared_rewards(work, question.package, question.version)
        declared = {verdict.by: _declared(work, verdict.by) or own for verdict in question.verdicts}
    return {"question": question, "declared": declared}


def _declared(work: UnitOfWork, name: str) -> dict[str, RewardDeclaration]:
    """The vector of a verifier by its reference; empty for what is no release of this hub."""
    try:
        reference = Reference.parse(name)
    except InvalidNameError:
        return {}
    release = catalog.find_release(work, reference.package, reference.selector)
    return execution.declared_rewards(work, release.package, release.version) if release is not None else {}
