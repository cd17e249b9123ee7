"""Reports to moderators and the public log of what they did."""

from datetime import UTC, datetime

import pytest

from schemas.moderation import ModerationEvent, Report, ReportCreate, ReportDecision
from tests.making.wire import check_wire, refusal

NOW = datetime(2030, 1, 2, tzinfo=UTC).isoformat()
WISH = {"reason": "malware", "text": "it reads ~/.ssh", "version": "1.0"}
EVENT = {
    "id": "e",
    "at": NOW,
    "actor": "mod",
    "action": "quarantine",
    "package": "al/a",
    "version": None,
    "reason": "why",
}
EXAMPLES = {
    ReportCreate: WISH,
    Report: WISH | {"id": "r", "package": "al/a", "reporter": "bob", "created_at": NOW, "state": "open"},
    ReportDecision: {"state": "acted", "decision": "quarantined"},
    ModerationEvent: EVENT,
}


@pytest.mark.parametrize("model", EXAMPLES, ids=lambda model: model.__name__)
def test_it_travels(model) -> None:
    check_wire(model, EXAMPLES[model])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("reason", "ugly"),
        ("reason", ""),
        ("text", ""),
        ("text", "x" * 4001),
        ("version", "newest"),
        ("version", "1.0+x"),
    ],
)
def test_a_report_says_what_is_wrong_with_what(field: str, value: str) -> None:
    assert field in refusal(ReportCreate, WISH | {field: value})


@pytest.mark.parametrize(("field", "value"), [("state", "open"), ("decision", ""), ("decision", "x" * 2001)])
def test_a_decision_is_final_and_explained(field: str, value: str) -> None:
    assert field in refusal(ReportDecision, {"state": "acted", "decision": "why"} | {field: value})


@pytest.mark.parametrize("action", ["delete", "", "QUARANTINE"])
def test_the_log_knows_no_other_actions(action: str) -> None:
    assert "action" in refusal(ModerationEvent, EVENT | {"action": action})


def test_the_public_log_does_not_name_who_reported() -> None:
    assert "reporter" not in ModerationEvent.model_fields
