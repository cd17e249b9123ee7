"""Counter-examples and disputes."""

from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api

RELEASE = "/packages/alice/small-sums/releases/1.1.0"


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


def test_what_a_moderator_rules_by_the_form_stands_in_the_log(app, reader: Browser, catalogue: Api) -> None:
    reader.sign_up("jun")
    reader.post(f"{RELEASE}/cases", {"task_id": "t2", "response": "five", "label": "correct"})
    moda = Browser(app)
    moda.sign_up("moda")
    page = moda.get(f"{RELEASE}/cases")
    dispute = next(a["action"] for a in page.all("form") if a.get("action", "").endswith("/dispute"))
    moda.post(dispute, {"reason": "The task asks for a number."})
    assert (
        moda.post(dispute.replace("/dispute", "/settle"), {"ruling": "upheld", "reason": "It does not."}).status == 200
    )
    [event] = catalogue.get("/api/v1/moderation/events").json()["items"]
    assert (event["action"], event["actor"], event["reason"]) == ("settle_case", "moda", "upheld: It does not.")


def test_cases_of_one_state_are_shown_alone(reader: Browser, catalogue: Api) -> None:
    reader.sign_up("jun")
    reader.post(f"{RELEASE}/cases", {"task_id": "t2", "response": "five", "label": "correct"})
    reader.post(f"{RELEASE}/cases", {"task_id": "t1", "response": "2", "label": "correct"})
    page = reader.get(f"{RELEASE}/cases")
    assert [link for link in page.links if link.endswith("?state=refuted")]
    alone = reader.get(f"{RELEASE}/cases?state=reproduced")
    assert (alone.html.count('class="case"'), page.html.count('class="case"')) == (1, 2)
    assert "None is fixed" in reader.get(f"{RELEASE}/cases?state=fixed").text
    assert reader.get(f"{RELEASE}/cases?state=none-such").html.count('class="case"') == 2


def test_a_case_names_the_other_verifiers_that_judged_its_response(reader: Browser, catalogue: Api) -> None:
    """The same response to the same task, submitted against two packages: neither knew of the other."""
    body = {"id": "c", "task": {"id": "t9", "prompt": "1+1?", "answer": 2}, "response": "2", "label": "incorrect"}
    mine, other = (
        catalogue.post(f"/api/v1/packages/{package}/releases/latest/cases", json=body).json()
        for package in ("alice/small-sums", "alice/unmeasured")
    )
    assert mine["state"] == other["state"] == "reproduced"
    page = reader.get(f"/packages/{mine['package']}/releases/{mine['against']}/cases")
    assert "judged this response: 0 agree" in page.text
    link = f"/packages/{other['package']}/releases/{other['against']}/cases#{other['id']}"
    assert f"http://hub.test{link}" in page.links
