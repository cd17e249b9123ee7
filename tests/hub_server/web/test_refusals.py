"""The list of refusals is closed: codes of the wire = classes of the server = rows of the reference."""

from pathlib import Path

import hub_server.app  # noqa: F401 -- loads every feature's errors
from hub_server.web.refusals import all_refusals, refusals_as_markdown
from schemas.problem import ProblemCode

REFERENCE = Path(__file__).parents[3] / "docs" / "reference" / "errors.md"


def test_every_code_has_a_class_and_every_class_a_code() -> None:
    assert {refusal.code for refusal in all_refusals()} == set(ProblemCode)


def test_every_refusal_says_what_it_means() -> None:
    assert [refusal.code for refusal in all_refusals() if not refusal.meaning or not refusal.title] == []


def test_the_reference_lists_them_as_they_are() -> None:
    assert refusals_as_markdown() in REFERENCE.read_text()
