"""The home page."""

import re
from pathlib import Path

import hub_server.site
from hub_server.kernel.services import Services
from hub_server.site.pages import home
from hub_server.site.pages.home import _most_informative, hero_sentences
from schemas.evidence.rates import Grade
from schemas.package import PackagePage
from tests.hub_server.site import samples
from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api, make_package

PACKAGE = "/packages/alice/small-sums"
RELEASE = f"{PACKAGE}/releases/1.1.0"


def test_numbers_on_the_home_page_come_from_the_hub(reader: Browser, catalogue: Api) -> None:
    page = reader.get("/")
    assert "All 2 packages" in page.text
    assert "Environments 2" in page.text
    assert "alice/small-sums rejected" in page.text


def test_an_empty_hub_says_so_and_claims_nothing(reader: Browser) -> None:
    page = reader.get("/")
    assert page.status == 200
    assert "Nothing has been measured on this hub yet" in page.text
    assert "No packages yet" in page.text


def test_home_prints_commands_for_whoever_is_signed_in(reader: Browser, catalogue: Api) -> None:
    assert "login --name NAME --sign-up EMAIL" in reader.get("/").text
    reader.sign_up("jun")
    page = reader.get("/")
    assert "verihub login --name jun" in page.text
    assert "--sign-up" not in page.text


def test_home_shows_the_newest_counter_examples_of_the_whole_hub(
    reader: Browser, catalogue: Api, services: Services
) -> None:
    """Also when twelve packages changed since."""
    case = {"id": "x", "task": {"prompt": "How many?", "answer": 3}, "response": "three", "label": "correct"}
    assert catalogue.post(f"/api/v1{RELEASE}/cases", json=case).status_code == 201
    for number in range(13):
        assert catalogue.publish(make_package(f"alice/other-{number}")).status_code == 201
    page = reader.get("/")
    assert "How many?" in page.text
    assert "Reproduced" in page.text


def test_what_was_measured_is_shown_however_many_packages_wait(reader: Browser, catalogue: Api, monkeypatch) -> None:
    """With the forty newest ones waiting, a hub said that nothing had been measured on it."""
    measured = samples.card("al/graded", "verifier", "", None, audit=samples.summary("1.0.0", 20, 2280, 1, 1970))
    waiting = [samples.card(f"al/waits-{number}", "verifier", "", None) for number in range(40)]

    def search(_work, request) -> PackagePage:
        return PackagePage(items=[measured] if request.grades else waiting, next=None)

    monkeypatch.setattr(home.catalog, "search_packages", search)
    text = reader.get("/").text
    assert "Nothing has been measured on this hub yet" not in text
    assert text.index("al/graded", text.index("Recently measured")) < text.index("al/waits-0")


def test_the_rates_beside_the_letter_are_those_that_it_is_based_on() -> None:
    """A grade by others' cases stood beside the rates of all cases: two numbers for one verifier on one page."""
    graded = samples.measured(5, 688, 1, 699)
    audit = samples.summary("1.0.0", 20, 2280, 1, 1970).model_copy(update={"reads": graded})
    words = hero_sentences(samples.card("al/x", "verifier", "", None, audit=audit)).replace("\N{NO-BREAK SPACE}", " ")
    assert "rejected 5 of 688 right answers" in words
    assert "accepted 1 of 699 wrong answers" in words


def test_no_page_shows_a_grade_beside_rates_of_other_cases() -> None:
    templates = Path(hub_server.site.__file__).parent / "templates"
    found = [file.name for file in templates.rglob("*.html") if re.search(r"\w\.overall\b", file.read_text())]
    assert found == [], "AuditSummary.graded holds the rates that the grade is based on"


def test_the_drawing_explains_a_grade_where_any_package_has_one() -> None:
    """With imported packages just measured, it showed one that had too few cases, and named its grade "U"."""
    few = samples.summary("1.0.0", 0, 24, 0, 4000).model_copy(update={"grade": Grade.UNMEASURED})
    graded = samples.summary("1.0.0", 5, 688, 1, 699).model_copy(update={"grade": Grade.B})
    failed = samples.summary("1.0.0", 500, 1000, 1, 1000).model_copy(update={"grade": Grade.F})
    cards = [samples.card(f"al/{name}", "verifier", "", None, audit=audit)
             for name, audit in (("few", few), ("graded", graded), ("failed", failed))]  # fmt: skip
    assert _most_informative(cards) == cards[1]
    assert _most_informative([cards[0], cards[2]]) == cards[2]
    assert hero_sentences(cards[0]).endswith("These are too few cases for a grade.")
    assert hero_sentences(cards[1]).endswith("The larger upper bound gives the grade: B.")


def test_one_download_is_one(reader: Browser, catalogue: Api) -> None:
    assert catalogue.get(f"/api/v1{RELEASE}/wheel").status_code == 200
    assert "1 download " in f"{reader.get('/owners/alice').text} "
    assert "1 downloads" not in reader.get("/owners/alice").text


def test_whoever_trains_is_led_to_the_best_graded_environment_by_one_command(
    reader: Browser, catalogue: Api, monkeypatch
) -> None:
    assert "No environment is graded on this hub yet" in reader.get("/").text
    asked = []
    cards = [
        samples.card(f"al/{name}", "environment", "", None, audit=samples.summary("1.0.0", *counts))
        for name, counts in (("best", (5, 688, 1, 699)), ("good", (20, 688, 20, 699)))
    ]

    def search(_work, request) -> PackagePage:
        asked.append(request)
        return PackagePage(items=cards if request.kinds else [], next=None)

    monkeypatch.setattr(home.catalog, "search_packages", search)
    page = reader.get("/")
    assert "verihub train al/best --model smollm2" in page.text
    assert page.text.index("al/best") < page.text.index("al/good")
    (wanted,) = [request for request in asked if request.kinds]
    assert (wanted.kinds, wanted.sort.value, set(wanted.grades)) == (("environment",), "error", set("ABCD"))
