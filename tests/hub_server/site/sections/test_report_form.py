"""What both forms that report something make of what was typed."""

import pytest

from hub_server.errors import InvalidRequestError
from hub_server.site.sections.forms import FormRefusal
from hub_server.site.sections.report_form import ReportForm, read_report, report_context
from schemas.moderation import CollectionReportCreate, ReportCreate, ReportReason


def refused(form: ReportForm, **about: object) -> dict[str, str]:
    with pytest.raises(InvalidRequestError) as raised:
        read_report(ReportCreate, form, **about)
    return {part.pointer: part.message for part in raised.value.errors if part.pointer}


def test_a_form_becomes_the_report_that_is_sent() -> None:
    form = ReportForm(reason="spam", text="  It sells watches.\n")
    assert read_report(CollectionReportCreate, form).text == "It sells watches."
    assert read_report(ReportCreate, form, version="1.0.0", post=2).post == 2


@pytest.mark.parametrize(
    ("form", "about", "wrong"),
    [
        (ReportForm(), {}, {"reason", "text"}),
        (ReportForm(reason="ugly", text="x"), {}, {"reason"}),
        (ReportForm(reason="spam", text=" \n"), {}, {"text"}),
        (ReportForm(reason="spam", text="x" * 4001), {}, {"text"}),
        (ReportForm(reason="spam", text="x"), {"version": "no version"}, {"version"}),
    ],
)
def test_each_field_that_cannot_be_used_is_named(form: ReportForm, about: dict[str, object], wrong: set[str]) -> None:
    """A text that was too long came back without a word about what was wrong."""
    said = refused(form, **about)
    assert set(said) == wrong
    assert all(said.values())


def test_a_page_is_given_the_reasons_in_their_order_and_what_was_refused() -> None:
    refusal = FormRefusal("No.", {}, 422)
    shown = report_context(ReportForm(), {ReportReason.SPAM: "it advertises"}, refusal=refusal)
    assert shown["reasons"] == [("spam", "it advertises")]
    assert shown["refusal"] is refusal
    assert not shown["sent"]
