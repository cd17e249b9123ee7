"""The pages of collections for a reader, without script."""

import pytest

from hub_server.site.pages.collections import collection_page
from tests.hub_server.site.conftest import Browser, Page
from tests.making.hub import Api

SUMS = "alice/small-sums"


def write(api: Api, name: str = "begin", **more: object) -> None:
    entries = [{"package": SUMS, "note": "Short & sound."}, {"package": SUMS, "version": "1.0.0"}]
    body = {"title": "Where to begin", "text": "# Where to begin\n\nRead *this* first.", "entries": entries} | more
    answer = api.request("PUT", f"/api/v1/collections/alice/{name}", json=body)
    assert answer.status_code == 200, answer.text


def test_a_collection_shows_its_words_and_its_packages_in_order(reader: Browser, catalogue: Api) -> None:
    write(catalogue)
    page = reader.get("/collections/alice/begin")
    assert (page.status, page.headings) == (200, 1)
    assert page.text.count("Where to begin") == 2, (
        "in the title of the window and as the heading; not in the text again"
    )
    assert "Short & sound." in page.text
    assert "Short &amp; sound." in page.html
    links = [a["href"] for a in page.all("a") if a["href"].startswith(f"/packages/{SUMS}")]
    assert links == [f"/packages/{SUMS}", f"/packages/{SUMS}/releases/1.0.0"]
    assert "1.0.0, pinned" in page.text
    assert "2 its author’s" in page.text, "how many cases of each origin the rates rest on"
    assert not page.all("a", href="/collections/alice/begin/edit")
    twin = page.all("link", rel="alternate", type="application/json")[0]["href"]
    assert catalogue.get(twin).json()["id"] == "alice/begin"


def test_what_an_owner_writes_runs_nothing_and_loads_nothing(reader: Browser, catalogue: Api) -> None:
    hostile = "<script>alert(1)</script> ![x](https://evil.example/x.png) [go](javascript:alert(1))"
    write(catalogue, title="<b>bold</b>", text=hostile, entries=[{"package": SUMS, "note": "<img src=x onerror=y>"}])
    for path in ("/collections/alice/begin", "/collections", f"/packages/{SUMS}", "/owners/alice"):
        page = reader.get(path)
        assert "<b>bold" not in page.html
        assert "bold" in page.text
        assert not [a for _, a in page.elements if any(name.startswith("on") for name in a)]
        assert not [a for a in page.all("a") if a.get("href", "").startswith("javascript")]
        assert not [a for _, a in page.elements if "evil.example" in a.get("src", "")]


def test_it_is_found_by_words_from_a_package_and_from_its_owner(reader: Browser, catalogue: Api) -> None:
    write(catalogue)
    for path in ("/collections?q=begin", "/packages?q=where+to+begin", f"/packages/{SUMS}", "/owners/alice"):
        assert reader.get(path).all("a", href="/collections/alice/begin"), path
    assert not reader.get("/packages?q=where+to+begin&kind=tool").all("a", href="/collections/alice/begin")
    assert "No collection fits" in reader.get("/collections?q=elsewhere").text


def test_a_package_in_many_collections_shows_a_few_and_leads_to_all(reader: Browser, catalogue: Api) -> None:
    for number in range(7):
        write(catalogue, f"list-{number}", title=f"List {number}")
    page = reader.get(f"/packages/{SUMS}")
    assert [a["href"][-1] for a in page.all("a") if a["href"].startswith("/collections/alice/")] == list("0123")
    every = next(a["href"] for a in page.all("a") if a["href"].startswith("/collections?package="))
    assert all(f"List {number}" in reader.get(every).text for number in range(7))


def test_a_list_goes_on_over_pages(reader: Browser, catalogue: Api) -> None:
    for number in range(21):
        write(catalogue, f"list-{number}", title=f"List {number}", entries=[])
    first = reader.get("/collections?owner=alice")
    older = first.all("a", rel="next")[0]["href"]
    assert "owner=alice" in older
    assert "List 0" in reader.get(older).text


@pytest.mark.parametrize("path", ["/collections/alice/none", "/collections/alice/No%20Name", "/collections/nobody/x"])
def test_none_is_not_found(reader: Browser, catalogue: Api, path: str) -> None:
    assert reader.get(path).status == 404


def test_many_packages_are_on_pages_that_lead_to_one_another(
    reader: Browser, catalogue: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """118 on one page were 22,000 pixels on a phone."""
    monkeypatch.setattr(collection_page, "SHOWN", 2)
    entries = [{"package": SUMS, "version": "1.0.0"}, {"package": SUMS}, {"package": "alice/unmeasured"}]
    write(catalogue, entries=entries)
    first, last = reader.get("/collections/alice/begin"), reader.get("/collections/alice/begin?page=2")

    def shown(page: Page) -> list[str]:
        return [a["href"] for a in page.all("a") if a["href"].startswith("/packages/alice")]

    assert shown(first) == [f"/packages/{SUMS}/releases/1.0.0", f"/packages/{SUMS}"]
    assert shown(last) == ["/packages/alice/unmeasured"]
    assert [a["href"] for a in first.all("a") if a.get("rel") in ("next", "prev")] == [
        "/collections/alice/begin?page=2"
    ]
    assert [a["href"] for a in last.all("a") if a.get("rel") in ("next", "prev")] == ["/collections/alice/begin"]
    assert "1 to 2 of 3" in first.text
    assert "3 to 3 of 3" in last.text
    assert ("Read this first" in first.text, "Read this first" in last.text) == (True, False)
    assert "3 packages" in last.text
    for beyond in ("9", "9" * 40, "0", "-5"):
        assert shown(reader.get(f"/collections/alice/begin?page={beyond}")) in (shown(first), shown(last))
    assert len(catalogue.get("/api/v1/collections/alice/begin").json()["entries"]) == 3, "its JSON has all"


def test_each_page_has_a_title_and_one_address_of_its_own(
    reader: Browser, catalogue: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Search engines took both for one page, and beyond the last for a third."""
    monkeypatch.setattr(collection_page, "SHOWN", 1)
    write(catalogue, entries=[{"package": SUMS}, {"package": "alice/unmeasured"}])
    facts = []
    for query in ("", "?page=1", "?page=2", "?page=99&utm=x"):
        page = reader.get(f"/collections/alice/begin{query}")
        [address] = [link["href"] for link in page.all("link") if link.get("rel") == "canonical"]
        [title] = [meta["content"] for meta in page.all("meta") if meta.get("property") == "og:title"]
        facts.append((title, address.partition("/collections/")[2]))
        assert address.startswith("http")
    name = facts[0][0].removesuffix(" · Verihub")
    assert facts[0] == facts[1] == (f"{name} · Verihub", "alice/begin")
    assert facts[2] == facts[3] == (f"{name}, page 2 · Verihub", "alice/begin?page=2")
