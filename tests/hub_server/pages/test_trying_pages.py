"""Try it, counter-examples, audits in every state: all by plain forms."""

from html import unescape

import pytest
from markdown_it import MarkdownIt

from hub_server.parts import Parts
from hub_server.web.rendering import markdown_cell
from tests.fakes.executor import FakeExecutor
from tests.hub_server.pages.conftest import Browser
from tests.making.catalogue import VECTOR_MANIFEST
from tests.making.hub import Api, make_package, run_jobs

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
    assert "v-null" in page.html


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


def test_tasks_are_paged_and_show_no_answers(reader: Browser, catalogue: Api) -> None:
    page = reader.get(f"{RELEASE}/tasks?split=endless&start=25")
    assert "endless-0-25" in page.text
    assert "answer" not in page.html.split('<ol class="tasks">')[1].split("</ol>")[0]
    assert [link for link in page.links if "start=50" in link]
    last = reader.get(f"{RELEASE}/tasks?split=endless&start=175")
    assert not [link for link in last.links if "start=200" in link]
    assert "Generated without end" in last.text
    assert "No task from number 100 on" in reader.get(f"{RELEASE}/tasks?split=train&start=99").text


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


def test_a_counter_example_is_run_kept_and_shown(reader: Browser, catalogue: Api, parts: Parts) -> None:
    reader.sign_up("jun")
    page = reader.post(f"{RELEASE}/cases", {"task_id": "t2", "response": "five", "label": "correct", "note": "A word is right too."})  # fmt: skip
    assert page.status == 200
    assert "Your case was submitted" in page.text
    assert "A word is right too." in page.text
    assert "rejected" in page.text
    assert "Confirmed" in page.text
    assert "by jun" in page.text
    assert "A word is right too." in reader.get("/").text
    run_jobs(parts)
    assert "1 open counter-example" in reader.get(f"{RELEASE}/audit").text


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


def test_an_audit_that_waits_says_for_what(reader: Browser, alice: Api, parts: Parts, executor: FakeExecutor) -> None:
    executor.reason = "no Docker engine answers: start it"
    alice.publish(make_package(manifest=VECTOR_MANIFEST))
    page = reader.get("/packages/alice/small-sums/releases/1.0.0/audit")
    assert "Waiting to be measured" in page.text
    assert "plate busy" in page.html
    run_jobs(parts, 1)
    assert "no Docker engine answers" in reader.get("/packages/alice/small-sums/releases/1.0.0/audit").text
    assert "Waiting to be measured" in reader.get("/packages/alice/small-sums").text


def test_an_audit_that_failed_says_why_and_changes_no_rate(
    reader: Browser, alice: Api, parts: Parts, executor: FakeExecutor, clock
) -> None:
    def explode(_plan: object) -> None:
        raise RuntimeError("the disk caught fire")

    executor.before_audit = explode
    alice.publish(make_package(manifest=VECTOR_MANIFEST))
    for _ in range(12):
        run_jobs(parts)
        clock.advance(600)
    page = reader.get("/packages/alice/small-sums/releases/1.0.0/audit")
    assert "The audit could not be completed" in page.text
    assert "c-dfp" not in page.html.split("<footer")[0]


def test_the_report_shows_matrix_rewards_probes_and_digests(reader: Browser, catalogue: Api) -> None:
    page = reader.get(f"{RELEASE}/audit")
    for words in (
        "Confusion matrix",
        "Per reward",
        "Probes by family",
        "Failures",
        "Latency",
        "Determinism",
        "Record",
    ):
        assert words in page.text
    assert len(page.all("svg", class_="big")) == 1
    assert "verihub audit alice/small-sums@1.1.0" in page.text


def test_earlier_audits_stay_readable(reader: Browser, catalogue: Api, parts: Parts) -> None:
    catalogue.post("/api/v1/packages/alice/small-sums/releases/1.1.0/audits")
    run_jobs(parts)
    page = reader.get(f"{RELEASE}/audit")
    earlier = sorted(
        {link for link in page.links if "/audits/" in link and "/api/" not in link and not link.endswith(".md")}
    )
    assert len(earlier) == 2
    assert all("Confusion matrix" in reader.get(link.removeprefix("http://hub.test")).text for link in earlier)


def test_a_report_can_be_taken_along_as_markdown(reader: Browser, catalogue: Api) -> None:
    page = reader.get(f"{RELEASE}/audit")
    link = next(link for link in page.links if link.endswith(".md"))
    answer = reader.get(link.removeprefix("http://hub.test")).answer
    assert answer.headers["content-type"].startswith("text/markdown")
    lines = answer.text.splitlines()
    assert lines[0].startswith("# Audit of alice/small-sums@1.1.0: grade ")
    assert "| was accepted | 1 | 0 (accepts wrong) |" in lines
    assert [line for line in lines if line.startswith("| correct |")]


@pytest.mark.parametrize(
    "hostile", ["a | b", "<script>x</script>", "[x](javascript:y)", "# title\n\n- list", "![i](u)", "`` ` ``"]
)
def test_a_strangers_text_means_nothing_in_markdown(hostile: str) -> None:
    html = MarkdownIt("commonmark").enable("table").render(f"| a |\n|---|\n| {markdown_cell(hostile)} |\n")
    assert html.count("<td>") == 1
    assert not [tag for tag in ("<script", "<a ", "<img", "<h1", "<li", "<code") if tag in html]
    assert " ".join(hostile.split()) in unescape(html)


def test_a_case_is_disputed_and_settled_by_forms(app, reader: Browser, catalogue: Api) -> None:
    reader.sign_up("jun")
    reader.post(f"{RELEASE}/cases", {"task_id": "t2", "response": "five", "label": "correct"})
    doubter = Browser(app)
    doubter.sign_up("mira")
    page = doubter.get(f"{RELEASE}/cases")
    action = next(a["action"] for a in page.all("form") if a.get("action", "").endswith("/dispute"))
    assert doubter.post(action, {"reason": " "}).status == 422
    assert "Disputed" in doubter.post(action, {"reason": "The task asks for a number."}).text
    settle = action.replace("/dispute", "/settle")
    assert doubter.post(settle, {"ruling": "withdrawn"}).status == 403
    assert not [a for a in doubter.get(f"{RELEASE}/cases").all("form") if a.get("action") == settle]
    assert "Refuted" in reader.post(settle, {"ruling": "withdrawn"}).text


def test_measuring_again_is_asked_for_by_a_button(reader: Browser, catalogue: Api) -> None:
    assert "Measure again" not in reader.get(f"{RELEASE}/audit").text
    reader.sign_up("jun")
    assert "Measure again on this hub" in reader.get(f"{RELEASE}/audit").text
    assert "Waiting to be measured" in reader.post(f"{RELEASE}/audits").text
