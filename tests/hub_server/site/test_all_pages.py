"""What holds of every page: it answers, it has one heading, its JSON twin, what it may load, refusals in the same look."""

import re
from collections import Counter, deque
from urllib.parse import parse_qsl

import pytest

from hub_server.kernel.services import Services
from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api, make_package

PACKAGE = "/packages/alice/small-sums"
RELEASE = f"{PACKAGE}/releases/1.1.0"


ALIKE = 4
"""Pages of one kind that are looked at."""


def test_every_kind_of_page_that_can_be_reached_answers_and_has_one_heading(reader: Browser, catalogue: Api) -> None:
    seen: set[str] = set()
    of_kind: Counter[tuple[object, ...]] = Counter()
    waiting = deque(["/"])
    while waiting:
        path = waiting.popleft()
        if path in seen or of_kind[kind_of(path)] >= ALIKE:
            continue
        seen.add(path)
        of_kind[kind_of(path)] += 1
        page = reader.get(path)
        assert page.status == 200, (path, page.text[:300])
        if not page.answer.headers["content-type"].startswith("text/html"):
            continue
        assert page.headings == 1, path
        assert len(page.all("main")) == 1
        names = [name for name, _ in page.elements]
        header = page.elements[: names.index("main")]
        assert [a for name, a in header if name == "a" and a.get("href") == "/docs"], (
            f"{path}: the header leads to no document"
        )
        assert page.all("a", class_="skip", href="#main")
        identifiers = [a["id"] for _, a in page.elements if "id" in a]
        assert len(identifiers) == len(set(identifiers)), path
        assert not [a for _, a in page.elements if "style" in a or any(name.startswith("on") for name in a)], path
        linked = [a["href"] for name, a in page.elements if name in ("a", "link") and a.get("href", "").startswith("/")]
        waiting += [link.split("#")[0] for link in linked]
    assert len(seen) > 40


def kind_of(path: str) -> tuple[object, ...]:
    """Pages of one kind differ in a name, a version or a value of their query."""
    place, _, query = path.partition("?")
    parts = place.split("/")
    shape = parts[1], len(parts), *(part for part in parts[4:] if part.isalpha())
    return *shape, *sorted({name for name, _ in parse_qsl(query, keep_blank_values=True)})


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


def test_what_nobody_measured_is_drawn_open_and_never_as_zero(reader: Browser, alice: Api) -> None:
    alice.publish(make_package())
    for path in (PACKAGE, f"{PACKAGE}/releases/1.0.0/audit", "/packages"):
        page = reader.get(path)
        assert "Waiting to be measured" in page.text
        drawn = page.html.split("<footer")[0]
        assert "calliper-unmeasured" in drawn
        assert "calliper-dot-fp" not in drawn


@pytest.mark.parametrize("path", ["/packages/alice/none", "/packages/alice/small-sums/releases/9.9", "/runs/none", "/nothing/at/all", "/owners/nobody99"])  # fmt: skip
def test_what_is_not_there_is_said_in_the_same_look(reader: Browser, catalogue: Api, path: str) -> None:
    page = reader.get(path)
    assert page.status == 404
    assert page.headings == 1
    assert page.all("nav")


def test_a_package_that_is_not_there_may_be_private_and_nobody_who_is_signed_in_is_asked_to(
    reader: Browser, catalogue: Api
) -> None:
    """The page of a refusal asked members to sign in who had, and said of a private package that there is none."""
    page = reader.get("/packages/alice/none")
    assert page.all("a", href="/login?next=%2Fpackages%2Falice%2Fnone")
    assert "once they have signed in" in page.text
    reader.sign_up("carol")
    page = reader.get("/packages/alice/none")
    assert not [one for one in page.all("a") if one["href"].startswith("/login")]
    assert page.all("a", href="/account")


def test_a_fault_of_the_hub_shows_a_number_and_no_detail(
    reader: Browser, catalogue: Api, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(services.clock), "now", lambda _self: 1 / 0)
    page = reader.get("/")
    assert page.status == 500
    assert "ZeroDivisionError" not in page.html
    assert page.answer.headers["x-request-id"] in page.text


def test_static_files_are_kept_by_their_content(reader: Browser) -> None:
    sheet = reader.get("/").all("link", rel="stylesheet")[0]["href"]
    answer = reader.get(sheet).answer
    assert answer.headers["content-type"].startswith("text/css")
    assert "immutable" in answer.headers["cache-control"]


def test_forms_of_other_sites_change_nothing(reader: Browser) -> None:
    reader.sign_up("jun")
    page = reader.post("/logout", {}, **{"sec-fetch-site": "cross-site"})
    assert page.status == 403
    assert "jun" in reader.get("/account").text
