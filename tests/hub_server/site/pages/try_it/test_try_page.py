"""Try it, by plain forms."""

import pytest

from hub_server.site.pages.try_it.try_page import _own_task
from tests.fakes.executor import FakeExecutor
from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api

RELEASE = "/packages/alice/small-sums/releases/1.1.0"


def test_judging_by_a_plain_form_shows_the_vector(reader: Browser, catalogue: Api) -> None:
    page = reader.post(f"{RELEASE}/try", {"split": "train", "task_id": "t2", "response": "5"})
    assert page.status == 200
    assert "would count as accepted" in page.text
    assert "1 of 1" in page.text
    assert page.all("option", value="t2", selected="")
    assert 'name="response"' in page.html
    assert ">5</textarea>" in page.html


def test_the_script_gets_the_verdict_alone(reader: Browser, catalogue: Api) -> None:
    page = reader.post(
        f"{RELEASE}/try", {"split": "train", "task_id": "t2", "response": "6"}, **{"x-fragment": "verdict"}
    )
    assert page.status == 200
    assert "<html" not in page.html
    assert "would count as rejected" in page.text


def test_a_gate_that_closes_is_named(reader: Browser, catalogue: Api) -> None:
    page = reader.post(f"{RELEASE}/try", {"split": "train", "task_id": "t2", "response": " "})
    assert "The gate parses is closed" in page.text


def test_what_was_not_judged_is_never_a_zero(reader: Browser, catalogue: Api) -> None:
    page = reader.post(f"{RELEASE}/try", {"split": "train", "task_id": "t2", "response": "?"})
    assert "not judged" in page.text
    assert "That is never a zero" in page.text
    assert "reward-null" in page.html


@pytest.mark.parametrize(
    ("response", "said"),
    [
        ("verifier_failed", "This is its author's fault"),
        ("timeout", "The time limit was reached"),
        ("memory", "The memory limit was reached"),
        ("output", "The output limit was reached"),
        ("host", "That is this hub's fault"),
    ],
)
def test_every_fault_says_whose_it_is(reader: Browser, catalogue: Api, response: str, said: str) -> None:
    page = reader.post(f"{RELEASE}/try", {"split": "train", "task_id": "t2", "response": response})
    assert page.status == 200
    assert said in page.text
    assert f"it was {response}" in page.text


def test_a_sandbox_that_is_away_is_said_and_nothing_is_lost(
    reader: Browser, catalogue: Api, executor: FakeExecutor
) -> None:
    executor.reason = "no Docker engine answers: start it"
    page = reader.post(f"{RELEASE}/try", {"split": "train", "task_id": "t2", "response": "keep me"})
    assert page.status == 503
    assert "no Docker engine answers" in page.text
    assert ">keep me</textarea>" in page.html


def test_a_response_of_several_lines_is_judged_as_it_was_typed(reader: Browser, catalogue: Api) -> None:
    """Browsers send CR LF at each end of a line."""
    page = reader.post(f"{RELEASE}/try", {"task": '{"prompt": "?", "answer": "a\\nb"}', "response": "a\r\nb"})
    assert "would count as accepted" in page.text


def test_a_response_that_is_too_long_is_refused_and_not_cut(reader: Browser, catalogue: Api) -> None:
    longest = {"split": "train", "task_id": "t2", "response": "5".rjust(200_000)}
    assert reader.post(f"{RELEASE}/try", longest).status == 200
    page = reader.post(f"{RELEASE}/try", {**longest, "response": "5".ljust(200_001, "x")})
    assert page.status == 422
    assert "at most 200,000 characters" in page.text


def test_a_task_of_your_own_is_judged(reader: Browser, catalogue: Api) -> None:
    page = reader.post(f"{RELEASE}/try", {"task": '{"prompt": "9+9?", "answer": 18}', "response": "18"})
    assert "would count as accepted" in page.text


@pytest.mark.parametrize("task", ["{", "[]", '"x"', '{"answer": 1}'])
def test_a_task_that_is_none_names_its_own_fault(reader: Browser, catalogue: Api, task: str) -> None:
    page = reader.post(f"{RELEASE}/try", {"task": task, "response": "18"})
    assert page.status == 422
    assert page.all("textarea", name="task")[0]["aria-invalid"] == "true"


def test_generated_tasks_can_be_tried_too(reader: Browser, catalogue: Api) -> None:
    page = reader.get(f"{RELEASE}/try?split=endless")
    assert "endless-0-3" in page.html
    judged = reader.post(f"{RELEASE}/try", {"split": "endless", "task_id": "endless-0-3", "response": "3"})
    assert "would count as accepted" in judged.text


def test_this_verdict_is_wrong_leads_to_a_filled_form(reader: Browser, catalogue: Api) -> None:
    judged = reader.post(f"{RELEASE}/try", {"split": "train", "task_id": "t2", "response": "five"})
    hidden = {
        a["name"]: a["value"]
        for a in judged.all("input", type="hidden")
        if a["name"] in ("task_id", "response", "label", "task")
    }
    assert hidden == {"task_id": "t2", "task": "", "response": "five", "label": "correct"}
    form = reader.post(f"{RELEASE}/cases/new", hidden)
    assert ">five</textarea>" in form.html
    assert form.all("input", value="correct", checked="")
    assert "You are not signed in" in form.text


@pytest.mark.parametrize("number", ["1e999", "NaN", "-Infinity", "[" * 5000 + "]" * 5000])
def test_a_task_with_what_no_json_holds_is_told_so_and_no_fault_of_the_hub(number: str) -> None:
    errors: dict[str, str] = {}
    assert _own_task(f'{{"prompt": "x", "answer": {number}}}', errors) is None
    assert "not JSON" in errors["task"]


@pytest.mark.parametrize(("fill", "task", "response"), [("right", "t1", "2"), ("wrong", "t2", "6")])
def test_a_response_of_the_authors_fills_the_form(
    reader: Browser, catalogue: Api, fill: str, task: str, response: str
) -> None:
    assert [link for link in reader.get(f"{RELEASE}/try").links if f"fill={fill}" in link]
    page = reader.get(f"{RELEASE}/try?fill={fill}")
    assert page.all("option", value=task, selected="")
    assert f">{response}</textarea>" in page.html


def test_without_labelled_cases_nothing_can_be_filled_in(reader: Browser, catalogue: Api) -> None:
    page = "/packages/alice/unmeasured/releases/1.0.0/try"
    assert not [link for link in reader.get(page).links if "fill=" in link]
    assert reader.get(f"{page}?fill=right").status == 200
