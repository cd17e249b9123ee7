"""A report as a file."""

from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api

RELEASE = "/packages/alice/small-sums/releases/1.1.0"


def test_a_report_can_be_taken_along_as_markdown(reader: Browser, catalogue: Api) -> None:
    page = reader.get(f"{RELEASE}/audit")
    link = next(link for link in page.links if link.endswith(".md"))
    answer = reader.get(link.removeprefix("http://hub.test")).answer
    assert answer.headers["content-type"].startswith("text/markdown")
    lines = answer.text.splitlines()
    assert lines[0].startswith("# Audit of alice/small-sums@1.1.0: grade ")
    assert "| was accepted | 1 | 0 (accepts wrong) |" in lines
    assert [line for line in lines if line.startswith("| correct |")]
