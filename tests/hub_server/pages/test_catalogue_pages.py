"""The catalogue as a reader without script sees it."""

import re

import pytest

from hub_server.parts import Parts
from tests.hub_server.pages.conftest import Browser
from tests.making.hub import Api, make_package

PACKAGE = "/packages/alice/small-sums"
RELEASE = f"{PACKAGE}/releases/1.1.0"


def test_every_page_that_can_be_reached_answers_and_has_one_heading(reader: Browser, catalogue: Api) -> None:
    seen: set[str] = set()
    waiting = ["/"]
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        page = reader.get(path)
        assert page.status == 200, (path, page.text[:300])
        if not page.answer.headers["content-type"].startswith("text/html"):
            continue
        assert page.headings == 1, path
        assert len(page.all("main")) == 1
        assert page.all("a", class_="skip", href="#main")
        identifiers = [a["id"] for _, a in page.elements if "id" in a]
        assert len(identifiers) == len(set(identifiers)), path
        assert not [a for _, a in page.elements if "style" in a or any(name.startswith("on") for name in a)], path
        linked = [a["href"] for name, a in page.elements if name in ("a", "link") and a.get("href", "").startswith("/")]
        waiting += [link.split("#")[0] for link in linked]
    assert len(seen) > 40


def test_a_page_names_its_json_twin_and_the_twin_answers(reader: Browser, catalogue: Api, run_id: str) -> None:
    tabs = ["", "/try", "/tasks", "/audit", "/code", "/cases", "/cases/new"]
    for path in [
        "/",
        "/packages?q=sums",
        PACKAGE,
        f"{PACKAGE}/releases",
        "/runs",
        f"/runs/{run_id}",
        "/owners/alice",
        *[RELEASE + tab for tab in tabs],
    ]:
        twins = reader.get(path).all("link", rel="alternate", type="application/json")
        assert len(twins) == 1, path
        answer = catalogue.get(twins[0]["href"])
        assert answer.status_code == 200, (path, twins, answer.text)
        assert "json" in answer.headers["content-type"]


def test_pages_are_told_what_they_may_load(reader: Browser, catalogue: Api) -> None:
    page = reader.get(PACKAGE)
    assert "script-src 'self'" in page.answer.headers["content-security-policy"]
    assert "unsafe" not in page.answer.headers["content-security-policy"]
    assert not re.findall(r"""(?:src|href)=["'](?:https?:)?//(?!hub\.test)""", page.html)


def test_numbers_on_the_home_page_come_from_the_hub(reader: Browser, catalogue: Api) -> None:
    page = reader.get("/")
    assert "All 2 packages" in page.text
    assert "Environments2" in page.text
    assert "alice/small-sums rejected" in page.text


def test_an_empty_hub_says_so_and_claims_nothing(reader: Browser) -> None:
    page = reader.get("/")
    assert page.status == 200
    assert "Nothing has been measured on this hub yet" in page.text
    assert "No packages yet" in page.text


@pytest.mark.parametrize(
    ("query", "found"),
    [("q=sums", 2), ("q=alice", 2), ("kind=environment", 2), ("kind=tool", 0), ("grade=U", 1), ("tag=math&tag=none", 2), ("q=zzz%27%22%3Cscriptx%3E", 0), ("sort=jaw", 2), ("unknown=1", 2)],
)  # fmt: skip
def test_search_is_an_address(reader: Browser, catalogue: Api, query: str, found: int) -> None:
    page = reader.get(f"/packages?{query}")
    assert page.status == 200
    heading = re.search(r"(\d+) packages?", page.text)
    assert heading is not None
    assert int(heading[1]) == found


def test_a_typing_error_is_met_with_the_nearest_name(reader: Browser, catalogue: Api) -> None:
    page = reader.get("/packages?q=smal-sumz")
    assert "Did you mean alice/small-sums?" in page.text
    assert "Clear filters" in page.text


def test_an_unknown_sort_is_refused_in_words(reader: Browser, catalogue: Api) -> None:
    page = reader.get("/packages?sort=best")
    assert page.status == 422
    assert "sort='best' is unknown" in page.text


def test_the_package_page_shows_vector_rates_and_a_harmless_readme(reader: Browser, catalogue: Api) -> None:
    page = reader.get(PACKAGE)
    assert "verihub pull alice/small-sums@1.1.0" in page.text
    assert "Measured by this hub on" in page.text
    assert "zeroes the sum" in page.text
    assert not [a for a in page.all("script") if "src" not in a]
    assert [a for a in page.all("a") if a["href"] == f"{RELEASE}/code/src/alice_small_sums/__init__.py"]


def test_a_link_of_the_readme_leads_to_the_file_in_the_wheel(reader: Browser, catalogue: Api) -> None:
    page = reader.get(f"{RELEASE}/code/src/alice_small_sums/__init__.py")
    assert page.status == 200
    assert "def verify" in page.text


def test_what_nobody_measured_is_drawn_open_and_never_as_zero(reader: Browser, alice: Api) -> None:
    alice.publish(make_package())
    for path in (PACKAGE, f"{PACKAGE}/releases/1.0.0/audit", "/packages"):
        page = reader.get(path)
        assert "Waiting to be measured" in page.text
        drawn = page.html.split("<footer")[0]
        assert "c-open" in drawn
        assert "c-dfp" not in drawn


def test_the_code_is_shown_with_lines_that_can_be_linked(reader: Browser, catalogue: Api) -> None:
    page = reader.get(f"{RELEASE}/code/alice_small_sums/__init__.py")
    assert page.all("tr", id="L1")
    assert '<span class="cm"># stricter</span>' in page.html


def test_a_file_that_is_not_there_is_a_page_of_its_own(reader: Browser, catalogue: Api) -> None:
    page = reader.get(f"{RELEASE}/code/nothing.py")
    assert page.status == 404
    assert page.headings == 1


def test_a_diff_shows_what_changed_and_nothing_else(reader: Browser, catalogue: Api) -> None:
    page = reader.get(f"{PACKAGE}/diff?from=1.0.0&to=1.1.0")
    assert "# stricter" in page.text
    assert "alice_small_sums/__init__.py" in page.text
    assert "tasks.jsonl" not in page.text
    assert "RECORD" not in page.text


def test_a_yanked_release_says_why_and_what_to_use(reader: Browser, catalogue: Api) -> None:
    catalogue.post("/api/v1/packages/alice/small-sums/releases/1.1.0/yank", json={"reason": "It accepts nan."})
    page = reader.get(RELEASE)
    assert "Release 1.1.0 was yanked. It accepts nan." in page.text
    assert f"{PACKAGE}/releases/1.0.0" in page.html
    assert "1.0.0" in reader.get(PACKAGE).text


@pytest.mark.parametrize("path", ["/packages/alice/none", "/packages/alice/small-sums/releases/9.9", "/runs/none", "/nothing/at/all", "/owners/nobody99"])  # fmt: skip
def test_what_is_not_there_is_said_in_the_same_look(reader: Browser, catalogue: Api, path: str) -> None:
    page = reader.get(path)
    assert page.status == 404
    assert page.headings == 1
    assert page.all("nav")


def test_a_fault_of_the_hub_shows_a_number_and_no_detail(
    reader: Browser, catalogue: Api, parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(parts.clock), "now", lambda _self: 1 / 0)
    page = reader.get("/")
    assert page.status == 500
    assert "ZeroDivisionError" not in page.html
    assert page.answer.headers["x-request-id"] in page.text


def test_the_theme_is_remembered_and_can_be_forgotten(reader: Browser) -> None:
    assert not reader.get("/").all("html")[0].get("data-theme")
    back = reader.post("/theme", {"theme": "dark", "back": "/about"})
    assert back.url.endswith("/about")
    assert back.all("html")[0]["data-theme"] == "dark"
    assert "data-theme" not in reader.post("/theme", {"theme": "system", "back": "/"}).all("html")[0]


@pytest.mark.parametrize("back", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"])
def test_the_theme_sends_nobody_elsewhere(reader: Browser, back: str) -> None:
    assert reader.post("/theme", {"theme": "dark", "back": back}).url == "http://hub.test/"


def test_static_files_are_kept_by_their_content(reader: Browser) -> None:
    sheet = reader.get("/").all("link", rel="stylesheet")[0]["href"]
    answer = reader.get(sheet).answer
    assert answer.headers["content-type"].startswith("text/css")
    assert "immutable" in answer.headers["cache-control"]


def test_a_run_tells_its_story(reader: Browser, run_id: str) -> None:
    page = reader.get(f"/runs/{run_id}")
    assert "Reward hacking likely since step" in page.text
    assert "Mean reward per component" in page.text
    assert "Before and after" in page.text
    assert "not judged: timeout" in page.text
    assert [a for a in page.all("svg") if a.get("class") == "plot tall"]


def test_a_run_that_has_logged_nothing_promises_nothing(reader: Browser, alice: Api) -> None:
    identifier = alice.post("/api/v1/runs", json={"name": "fresh"}).json()["id"]
    page = reader.get(f"/runs/{identifier}")
    assert "No metrics yet" in page.text
    assert not page.all("svg", class_="plot tall")


def test_a_package_lists_the_runs_that_pinned_it(reader: Browser, catalogue: Api) -> None:
    assert "alice/grpo-fractions-14" in reader.get(f"{PACKAGE}/used-by").text
    assert "No run on this hub has used it yet" in reader.get("/packages/alice/unmeasured/used-by").text
