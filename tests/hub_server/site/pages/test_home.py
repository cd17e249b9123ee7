"""The home page."""

from hub_server.kernel.services import Services
from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api, make_package

PACKAGE = "/packages/alice/small-sums"
RELEASE = f"{PACKAGE}/releases/1.1.0"


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
