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
