"""The tasks of a release."""

from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api

RELEASE = "/packages/alice/small-sums/releases/1.1.0"


def test_tasks_are_paged_and_show_no_answers(reader: Browser, catalogue: Api) -> None:
    page = reader.get(f"{RELEASE}/tasks?split=endless&start=25")
    assert "endless-0-25" in page.text
    assert "answer" not in page.html.split('<ol class="tasks">')[1].split("</ol>")[0]
    assert [link for link in page.links if "start=50" in link]
    last = reader.get(f"{RELEASE}/tasks?split=endless&start=175")
    assert not [link for link in last.links if "start=200" in link]
    assert "Generated without end" in last.text
    assert "No task from number 100 on" in reader.get(f"{RELEASE}/tasks?split=train&start=99").text


def test_tasks_are_found_by_words_of_the_prompt_by_id_and_tag(reader: Browser, catalogue: Api) -> None:
    page = reader.get(f"{RELEASE}/tasks?split=endless&find=ENDLESS-0-17")
    assert page.html.count('class="sample"') == 11, "17 and 170 to 179"
    assert "“no such words”" in reader.get(f"{RELEASE}/tasks?split=train&find=no such words").text
    assert "verihub tasks alice/small-sums@1.1.0 --split endless --output endless.jsonl" in page.text


def test_what_is_looked_for_is_shown_as_text_and_kept_on_the_next_page(reader: Browser, catalogue: Api) -> None:
    hostile = "%3Cscript%3Ealert(1)%3C/script%3E"
    assert "<script>alert" not in reader.get(f"{RELEASE}/tasks?split=train&find={hostile}").html
    page = reader.get(f"{RELEASE}/tasks?split=endless&find=endless")
    assert [link for link in page.links if "start=25" in link and "find=endless" in link]
