"""Submitting a counter-example."""

import pytest

from hub_server.kernel.services import Services
from tests.fakes.executor import FakeExecutor
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
        ({"task": "{", "response": "5", "label": "correct"}, "details"),
        ({"task_id": "t1", "prompt": "1?", "response": "5", "label": "correct"}, "task_id"),
        ({"prompt": "1?", "answer": "{", "answer_is": "json", "response": "5", "label": "correct"}, "answer"),
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


def test_a_task_is_found_by_a_word_of_its_text_and_chosen(reader: Browser, catalogue: Api) -> None:
    page = reader.post(f"{RELEASE}/cases/new", {"find": "2+3", "response": "five"})
    offered = [one["value"] for one in page.all("input", type="radio", name="task_id")]
    assert offered == ["t2", ""]
    assert ">five</textarea>" in page.html
    assert "No task of train has" in reader.post(f"{RELEASE}/cases/new", {"find": "no such word"}).text


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("correct", "You and the verifier disagree"),
        ("incorrect", "The verifier says what you say"),
        ("", "Now say below"),
    ],
)
def test_the_verdict_is_seen_before_anything_is_kept_and_without_an_account(
    reader: Browser, catalogue: Api, label: str, said: str
) -> None:
    page = reader.post(f"{RELEASE}/cases/preview", {"task_id": "t2", "response": "five", "label": label})
    assert page.status == 200
    assert "would count as rejected" in page.text
    assert said in page.text
    assert page.all("input", name="task_id", value="t2", checked="")
    assert "No counter-examples" in reader.get(f"{RELEASE}/cases").text


def test_a_preview_without_a_sandbox_says_so(reader: Browser, catalogue: Api, executor: FakeExecutor) -> None:
    executor.reason = "no Docker engine answers"
    page = reader.post(f"{RELEASE}/cases/preview", {"task_id": "t2", "response": "five", "label": "correct"})
    assert "Nothing could be judged now. no Docker engine answers" in page.text


def test_a_task_of_ones_own_needs_no_json(reader: Browser, catalogue: Api) -> None:
    fields = {"prompt": "9+9?", "answer": "18", "answer_is": "json", "response": "18", "label": "incorrect"}
    assert "You and the verifier disagree" in reader.post(f"{RELEASE}/cases/preview", fields).text
    reader.sign_up("jun")
    page = reader.post(f"{RELEASE}/cases", fields)
    assert "Reproduced" in page.text
    assert "9+9?" in page.text


def test_a_single_reward_can_be_said_to_be_wrong(reader: Browser, catalogue: Api) -> None:
    """The label alone would speak of every score and gate together."""
    said = {"reward": ["correct", "parses"], "must": ["", "below"]}
    fields = {"task_id": "t2", "response": "five", "label": "incorrect", **said}
    page = reader.post(f"{RELEASE}/cases/preview", fields)
    assert "You and the verifier disagree" in page.text
    assert page.all("option", value="below", selected="")


@pytest.mark.parametrize(("fill", "task", "label"), [("right", "t1", "correct"), ("wrong", "t2", "incorrect")])
def test_a_case_of_the_author_fills_the_form_as_an_example(
    reader: Browser, catalogue: Api, fill: str, task: str, label: str
) -> None:
    assert [link for link in reader.get(f"{RELEASE}/cases/new").links if f"fill={fill}" in link]
    page = reader.get(f"{RELEASE}/cases/new?fill={fill}")
    assert page.all("input", name="task_id", value=task, checked="")
    assert page.all("input", name="label", value=label, checked="")


def test_answers_are_written_as_the_release_writes_its_own(reader: Browser, catalogue: Api) -> None:
    assert reader.get(f"{RELEASE}/cases/new").all("option", value="json", selected="")


def test_a_generated_task_is_offered_judged_and_kept(reader: Browser, catalogue: Api) -> None:
    page = reader.get(f"{RELEASE}/cases/new?split=endless")
    assert page.all("input", name="task_id", value="endless-0-3")
    fields = {"split": "endless", "task_id": "endless-0-3", "response": "3", "label": "incorrect"}
    assert "You and the verifier disagree" in reader.post(f"{RELEASE}/cases/preview", fields).text
