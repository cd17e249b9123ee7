"""The labelling queue as a page: one question at a time, nobody is led, a wrong address is no fault."""

import re

import pytest

from hub_server.audits.models import LabelQuestionRow, LeftOutRow
from hub_server.kernel.services import Services
from hub_server.site.pages.label import MOST_SKIPPED, AnswerForm
from schemas.verdict import Verdict
from tests.hub_server.site.conftest import Browser
from tests.making.hub import PASSWORD, Api, run_jobs

PACKAGE = "/packages/alice/small-sums/label"
VECTOR = {"parses": 1.0, "length": 3.0}


def judge(version: str, _task: dict, _response: str | None) -> Verdict:
    """The two releases part on everything."""
    return Verdict(rewards={"correct": float(version == "1.0.0"), **VECTOR})


@pytest.fixture
def queue(reader: Browser, catalogue: Api, services: Services) -> list[str]:
    """Addresses of two open questions; the most open first."""
    services.executor.judge_call = judge
    rows = [
        {
            "step": 1,
            "package": "alice/small-sums",
            "task_id": "t1",
            "response": text,
            "rewards": {"correct": 1.0, **VECTOR},
        }
        for text in ("two", "dos")
    ]
    pin = {"package": "alice/small-sums", "version": "1.0.0", "digest": "sha256:0"}
    run = catalogue.post("/api/v1/runs", json={"name": "r", "packages": [pin]}).json()["id"]
    assert catalogue.post(f"/api/v1/runs/{run}/rollouts", json={"items": rows}).status_code == 200
    assert catalogue.post("/api/v1/packages/alice/small-sums/label/gather").status_code == 202
    services.clock.advance(60)
    run_jobs(services)
    found = [one["id"] for one in catalogue.get("/api/v1/label/questions").json()["items"]]
    assert len(found) >= 2
    return found


def test_what_only_a_run_says_of_a_verifier_is_told_apart(
    reader: Browser, catalogue: Api, services: Services, queue: list[str]
) -> None:
    assert "as the run says" not in reader.get(f"/label/{queue[0]}").text
    with services.database.writing() as session:
        row = session.get(LabelQuestionRow, queue[0])
        assert row is not None
        claimed = {"by": "bob/good@1.0.0", "rewards": {}, "accepted": True, "acceptance": 1.0, "executed": False}
        row.verdicts = [*row.verdicts, claimed]
    text = reader.get(f"/label/{queue[0]}").text
    assert text.count("as the run says") == 1


def test_a_stranger_sees_the_queue_and_is_asked_to_sign_in(reader: Browser, queue: list[str]) -> None:
    for path in ("/label", PACKAGE):
        page = reader.get(path)
        assert page.status == 200
        assert "/login" in " ".join(page.links)
    assert reader.post(f"/label/{queue[0]}", {"answer": "correct"}).status == 401


def test_one_question_is_answered_and_the_next_is_shown_in_the_same_queue(reader: Browser, queue: list[str]) -> None:
    reader.post("/login", {"name": "alice", "password": PASSWORD})
    assert f"/label/{queue[0]}" in reader.get("/label").html
    after = reader.post(f"/label/{queue[0]}", {"answer": "unsure", "note": "", "back": "alice/small-sums"})
    assert "/packages/alice/small-sums/label?answered=" in after.url
    assert f"/label/{queue[1]}" in after.html
    elsewhere = reader.post(f"/label/{queue[1]}", {"answer": "unsure", "back": "https://evil.example/"})
    assert "evil" not in elsewhere.url, "only its own queue is gone back to"


def test_skipping_goes_on_and_an_odd_address_is_no_fault(reader: Browser, queue: list[str]) -> None:
    reader.post("/login", {"name": "alice", "password": PASSWORD})
    assert f"/label/{queue[1]}" in reader.get(f"/label?skip={queue[0]}").html
    many = "&".join(f"skip=x{n}" for n in range(MOST_SKIPPED * 5))
    for path in (f"/label?{many}", "/label?answered=none", f"{PACKAGE}?looking=1&answered=%00", "/label?skip=%3Cb%3E"):
        assert reader.get(path).status == 200, path
    assert reader.get("/label/none").status == 404
    assert reader.post(f"/label/{queue[0]}", {"answer": "perhaps"}).status == 422
    assert reader.get(f"/label/{queue[0]}").headings == 1


def test_an_answer_has_no_more_words_than_the_api_takes() -> None:
    assert AnswerForm(answer="correct", note="x" * 2000).back == ""
    with pytest.raises(ValueError):
        AnswerForm(answer="correct", note="x" * 2001)


def test_a_person_sees_how_far_they_are_and_in_the_end_a_settled_question(
    reader: Browser, catalogue: Api, queue: list[str]
) -> None:
    reader.sign_up("jun")
    assert "You have answered" not in reader.get("/label").text
    total = len(queue)
    assert f"You have answered 1 of {total}" in reader.post(f"/label/{queue[0]}", {"answer": "unsure"}).text
    for question in queue[1:]:
        page = reader.post(f"/label/{question}", {"answer": "unsure"})
    assert f"You have answered {total} questions so far" in page.text
    assert "settled one" not in page.text
    for name in ("ann", "ben"):
        person = catalogue.sign_up(name)
        assert person.post(f"/api/v1/label/questions/{queue[0]}/labels", json={"answer": "correct"}).status_code < 300
    assert [link for link in reader.get(PACKAGE).links if link.endswith(f"/label/{queue[0]}")]
    assert "Settled: the response is right" in reader.get(f"/label/{queue[0]}").text


def test_who_uploads_and_who_owns_are_told_that_no_more_responses_are_asked_about(
    reader: Browser, catalogue: Api, services: Services, queue: list[str]
) -> None:
    """Responses beyond a limit were left out without a word."""
    run = catalogue.get("/api/v1/runs").json()["items"][0]["id"]
    pages = ("/packages/alice/small-sums/releases/1.0.0/audit", f"/runs/{run}")
    said = "no further responses are asked about"
    with services.database.writing() as session:
        row = LeftOutRow(package_id="alice/small-sums", run_id=run, reached="about_response", count=3)
        session.add(row)
    counted = re.compile(r"left 3 responses\s+(of this\s+run )?out, because as many questions about the same response")
    reader.post("/login", {"name": "alice", "password": PASSWORD})
    for page in pages:
        assert said not in reader.get(page).text, page
    before = services.settings
    labels = before.labels.model_copy(update={"open_questions": 1, "open_from_runs": 1})
    object.__setattr__(services, "settings", before.model_copy(update={"labels": labels}))
    try:
        told = [said in reader.get(page).text for page in pages]
        others = [said in Browser(catalogue.app).get(page).text for page in pages]
    finally:
        object.__setattr__(services, "settings", before)
    assert told == [True, True]
    assert all(counted.search(reader.get(page).text) for page in pages)
    assert not counted.search(Browser(catalogue.app).get(pages[1]).text)
    assert others == [True, False], "of a run its owner alone is told"


def test_a_run_leads_to_the_questions_about_its_rollouts_and_says_why_not_to_all(
    reader: Browser, catalogue: Api, queue: list[str], services: Services
) -> None:
    """A reader could say that a verdict is wrong, and found no way to label a rollout, and no word why."""
    run = catalogue.get(f"/api/v1/label/questions/{queue[0]}").json()["run_id"]
    other = {"step": 2, "package": "alice/small-sums", "task_id": "t1", "response": "tres", "rewards": VECTOR}
    assert catalogue.post(f"/api/v1/runs/{run}/rollouts", json={"items": [other]}).status_code == 200
    page = reader.get(f"/runs/{run}")
    assert {link.rpartition("/")[2] for link in page.links if "/label/" in link} == set(queue)
    assert page.text.count("Label it") == 1 + len(queue), "the note has the words too"
    assert page.text.count("This verdict is wrong") == 3
    assert "friends could agree on responses that suit them" in page.text
    with services.database.writing() as session:
        row = session.get(LabelQuestionRow, queue[0])
        assert row is not None
        row.state, row.agreed_label = "settled", "incorrect"
    text = reader.get(f"/runs/{run}").text
    assert (text.count("Labelled wrong"), text.count("Labelled right")) == (1, 0)
