"""``/OWNER/NAME`` leads to a package and ``/OWNER`` to its owner; neither says what is private, or hides another address."""

import pytest

from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api, make_package


def test_owner_and_name_lead_to_the_package(reader: Browser, catalogue: Api) -> None:
    page = reader.get("/Alice/small-sums")
    assert (page.status, page.url) == (200, "http://hub.test/packages/alice/small-sums")


def test_an_owner_leads_to_what_it_published(reader: Browser, catalogue: Api) -> None:
    page = reader.get("/alice")
    assert (page.status, page.url) == (200, "http://hub.test/owners/alice")


def test_a_private_package_is_answered_like_none(reader: Browser, catalogue: Api) -> None:
    assert catalogue.post("/api/v1/packages?visibility=private", content=make_package("alice/hush")).status_code == 201
    private, none = reader.get("/alice/hush"), reader.get("/alice/none")
    assert private.status == none.status == 404
    assert private.text.replace("hush", "none") == none.text


@pytest.mark.parametrize(
    "path",
    [
        "/api/none",
        "/static/none.css",
        "/docs/none",
        "/wp-login.php",
        "/a",
        "/alice/no_such",
        "/alice/..%2f..",
        "/%2f%2fevil.example/x",
        "/alice/%0d%0ax",
    ],
)
def test_what_no_owner_or_package_can_be_called_is_nothing(reader: Browser, path: str) -> None:
    assert reader.get(path).status == 404


def test_files_are_still_found(reader: Browser) -> None:
    assert reader.get("/static/mark.svg").status == 200
