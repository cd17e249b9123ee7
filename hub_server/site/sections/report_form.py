"""The form that reports something to the moderators: what is typed there, and what a page is given to show it."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict

from hub_server.site.sections.forms import NOT_SENT, FormRefusal, TypedText, read_fields, wrong_fields
from schemas.moderation import ReportReason

ModelT = TypeVar("ModelT", bound=BaseModel)


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


def report_context(
    form: ReportForm, reasons: Mapping[ReportReason, str], *, refusal: FormRefusal = NOT_SENT, sent: str = ""
) -> dict[str, Any]:
    """What ``sections/report_form.html`` shows. ``sent``: the id of the report that was made, if it was."""
    shown = [(reason.value, words) for reason, words in reasons.items()]
    return {"form": form, "reasons": shown, "refusal": refusal, "sent": sent}
