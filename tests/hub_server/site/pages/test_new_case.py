"""Submitting a counter-example."""

import pytest

from hub_server.kernel.services import Services
from hub_server.site.pages.new_case import CaseForm, _task_of
from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api, run_jobs

RELEASE = "/packages/alice/small-sums/releases/1.1.0"


def test_a_counter_example_is_run_kept_and_shown(reader: Browser, catalogue: Api, services: Services) -> None:
    reader.sign_up("jun")
    page = reader.post(f"{RELEASE}/cases", {"task_id": "t2", "response": "five", "label": "correct", "note": "A word is right too."})  # fmt: skip
    assert page.status == 200
    assert "Your case was submitted" in page.text
    assert "A word is right too." in page.text
    assert "rejected" in page.text
    assert "Reproduced" in page.text
    assert "by jun" in page.text
    assert "A word is right too." in reader.get("/").text
    run_jobs(services)
    assert "1 unfixed counter-example" in reader.get(f"{RELEASE}/audit").text


def test_without_an_account_nothing_is_kept_but_the_words(reader: Browser, catalogue: Api) -> None:
    page = reader.post(f"{RELEASE}/cases", {"task_id": "t2", "response": "five", "label": "correct"})
    assert page.status == 401
    assert ">five</textarea>" in page.html
    assert "No counter-examples" in reader.get(f"{RELEASE}/cases").text


@pytest.mark.parametrize(
    ("form", "field"),
    [
        ({"task_id": "t2", "response": "", "label": "correct"}, "response"),
        ({"response": "5", "label": "correct"}, "task_id"),
        ({"task": "{", "response": "5", "label": "correct"}, "task"),
    ],
)
def test_each_field_names_its_own_fault(reader: Browser, catalogue: Api, form: dict, field: str) -> None:
    reader.sign_up("jun")
    page = reader.post(f"{RELEASE}/cases", form)
    assert page.status == 422
    assert [a for name, a in page.elements if a.get("name") == field and a.get("aria-invalid") == "true"]


def test_a_task_that_the_release_does_not_have_is_refused_in_words(reader: Browser, catalogue: Api) -> None:
    reader.sign_up("jun")
    page = reader.post(f"{RELEASE}/cases", {"task_id": "t99", "response": "5", "label": "correct"})
    assert page.status == 404
    assert "t99" in page.text
    assert ">5</textarea>" in page.html


@pytest.mark.parametrize("number", ["1e999", "NaN", "[" * 5000 + "]" * 5000])
def test_a_typed_task_with_what_no_json_holds_is_told_so(number: str) -> None:
    errors: dict[str, str] = {}
    assert _task_of(CaseForm(task=f'{{"prompt": "x", "answer": {number}}}'), errors) is None
    assert "not JSON" in errors["task"]
