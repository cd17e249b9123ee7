"""The list of a package's discussions, the tab that leads there, and the link on a counter-example."""

from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api

PACKAGE = "/packages/alice/small-sums"
ALL = f"{PACKAGE}/discussions"
API = f"/api/v1{ALL}"


def begin(api: Api, title: str, **more: str) -> str:
    answer = api.post(API, json={"title": title, "text": "Words."} | more)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def test_a_tab_with_the_count_of_open_ones_leads_there_from_every_page(reader: Browser, catalogue: Api) -> None:
    assert "Nobody has begun a discussion" in reader.get(ALL).text
    first = begin(catalogue, "First")
    begin(catalogue, "Second")
    catalogue.post(f"{API}/{first}/close", json={})
    for path in (PACKAGE, f"{PACKAGE}/releases", f"{PACKAGE}/releases/1.1.0/code"):
        page = reader.get(path)
        assert page.all("a", href=ALL), path
        assert "Discussions1" in page.text.replace(" ", ""), path


def test_states_are_filtered_and_pages_go_on(reader: Browser, catalogue: Api) -> None:
    made = [begin(catalogue, f"Question {number}") for number in range(21)]
    catalogue.post(f"{API}/{made[20]}/close", json={})
    first = reader.get(ALL)
    assert ("Question 20" in first.text, "Question 0" in first.text, "Closed" in first.text) == (True, False, True)
    assert "Question 0" in reader.get(first.all("a", rel="next")[0]["href"]).text
    assert "Question 20" not in reader.get(f"{ALL}?state=open").text
    assert "Question 20" in reader.get(f"{ALL}?state=closed").text
    assert reader.get(f"{ALL}?state=shut").status == 422


def test_a_counter_example_leads_to_its_discussions(reader: Browser, catalogue: Api) -> None:
    wrong = {"id": "h1", "task_id": "t1", "response": "3", "label": "correct"}
    made = catalogue.post(f"/api/v1{PACKAGE}/releases/1.1.0/cases", json=wrong)
    assert made.status_code == 201, made.text
    case = made.json()["id"]
    cases = f"{PACKAGE}/releases/1.1.0/cases"
    link = f"{ALL}?case={case}"
    assert "Discuss this case" in reader.get(cases).text
    begin(catalogue, "Why is that so?", case=case)
    begin(catalogue, "Another thing")
    page = reader.get(cases)
    assert page.all("a", href=link)
    listed = reader.get(link)
    assert ("Why is that so?" in listed.text, "Another thing" in listed.text) == (True, False)
    assert listed.all("a", href=f"{ALL}/new?case={case}")


def test_an_archived_package_offers_no_new_one(reader: Browser, catalogue: Api) -> None:
    assert reader.get(ALL).all("a", href=f"{ALL}/new")
    catalogue.post(f"/api/v1{PACKAGE}/archive", json={"reason": "Done."})
    assert not reader.get(ALL).all("a", href=f"{ALL}/new")
