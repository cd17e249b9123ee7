"""The form that reports something to the moderators: what is typed, how it is sent, and what a page shows of it."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from fastapi import Response
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, ConfigDict

from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.site.sections.forms import NOT_SENT, FormRefusal, TypedText, read_fields, send_form, wrong_fields
from hub_server.web.dependencies import Transactions
from schemas.moderation import Report, ReportReason

ModelT = TypeVar("ModelT", bound=BaseModel)
FormT = TypeVar("FormT", bound="ReportForm")
FormT_contra = TypeVar("FormT_contra", bound="ReportForm", contravariant=True)


class ReportForm(BaseModel):
    """What somebody typed. What is reported stands in the address of the page."""

    model_config = ConfigDict(frozen=True)

    reason: str = ""
    text: TypedText = ""


def read_report(model: type[ModelT], form: ReportForm, **about: object) -> ModelT:
    """The report that is sent, of the form and what it is ``about``. Raises the error of :func:`wrong_fields`."""
    wrong = {} if form.reason in set(ReportReason) else {"reason": "Say what is wrong."}
    wrong |= {} if form.text.strip() else {"text": "Say what you saw, so that others can see it too."}
    if wrong:
        raise wrong_fields(wrong)
    return read_fields(model, {"reason": ReportReason(form.reason), "text": form.text.strip(), **about})


class ShowsForm(Protocol[FormT_contra]):
    """Draws the page around the form. ``sent``: the id of the report that was made, if it was."""

    def __call__(
        self, work: UnitOfWork, form: FormT_contra, *, refusal: FormRefusal = NOT_SENT, sent: str = ""
    ) -> HTMLResponse: ...


def send_report_form(
    transactions: Transactions,
    form: FormT,
    body: Callable[[], ModelT],
    report: Callable[[UnitOfWork, ModelT], Report],
    show: ShowsForm[FormT],
) -> Response:
    """Send a report to the moderators: then the form is empty. A refusal comes back with everything that was typed.

    ``body`` reads the form before a transaction begins, and ``report`` makes the report of it.
    """

    def send() -> Response:
        typed = body()
        with transactions.writing() as work:
            return show(work, type(form)(), sent=report(work, typed).id)

    def show_again(refusal: FormRefusal) -> Response:
        with transactions.reading() as work:
            return show(work, form, refusal=refusal)

    return send_form(send, show_again)


def report_context(
    form: ReportForm, reasons: Mapping[ReportReason, str], *, refusal: FormRefusal = NOT_SENT, sent: str = ""
) -> dict[str, Any]:
    """What ``sections/report_form.html`` shows. ``sent``: the id of the report that was made, if it was."""
    shown = [(reason.value, words) for reason, words in reasons.items()]
    return {"form": form, "reasons": shown, "refusal": refusal, "sent": sent}
