"""The files of a release."""

from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api

PACKAGE = "/packages/alice/small-sums"
RELEASE = f"{PACKAGE}/releases/1.1.0"


def test_a_link_of_the_readme_leads_to_the_file_in_the_wheel(reader: Browser, catalogue: Api) -> None:
    page = reader.get(f"{RELEASE}/code/src/alice_small_sums/__init__.py")
    assert page.status == 200
    assert "def verify" in page.text


def test_the_code_is_shown_with_lines_that_can_be_linked(reader: Browser, catalogue: Api) -> None:
    page = reader.get(f"{RELEASE}/code/alice_small_sums/__init__.py")
    assert page.all("tr", id="L1")
    assert '<span class="comment"># stricter</span>' in page.html


def test_a_file_that_is_not_there_is_a_page_of_its_own(reader: Browser, catalogue: Api) -> None:
    page = reader.get(f"{RELEASE}/code/nothing.py")
    assert page.status == 404
    assert page.headings == 1


def test_what_a_build_wrote_is_folded_away_until_one_of_it_is_read(reader: Browser, catalogue: Api) -> None:
    page = reader.get(f"{RELEASE}/code")
    fold = page.html.index("The wheel’s own")
    assert page.html.index('/code/alice_small_sums/__init__.py"') < fold < page.html.index('.dist-info/METADATA"')
    assert '<details class="more spaced">' in page.html
    metadata = next(a["href"] for a in page.all("a") if a.get("href", "").endswith(".dist-info/METADATA"))
    assert '<details class="more spaced" open>' in reader.get(metadata).html
