"""A mistyped package is answered with the nearest names: in the API's refusal and on its page."""

import pytest

from hub_server.catalog.actions.nearest import nearest_packages
from tests.making.hub import Api, make_package


class Index:
    """Names that an index holds for alike."""

    def near(self, name: str, limit: int) -> list[str]:
        return ["alice/small-sums", "bob/small-sums", "alice/large-sums", "carol/other"][:limit]


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("alice/smal-sums", "alice/small-sums"),
        ("alicia/small-sums", "alice/small-sums"),
        ("smal-sums", "bob/small-sums"),
        ("nobody-near-it/othr", "carol/other"),
    ],
)
def test_a_wrong_owner_and_a_wrong_name_are_both_found(typed: str, first: str) -> None:
    assert nearest_packages(Index(), typed, 2)[0] == first  # type: ignore[arg-type]


@pytest.mark.parametrize("typed", ["zzzzzz", "  ", "zoe/quite-different"])
def test_what_is_near_to_nothing_offers_nothing(typed: str) -> None:
    assert nearest_packages(Index(), typed, 2) == []  # type: ignore[arg-type]


def test_the_refusal_names_them_and_the_page_leads_there(alice: Api) -> None:
    assert alice.publish(make_package()).status_code == 201
    assert alice.get("/api/v1/packages?q=sums").status_code == 200, "the index knows it from here on"
    refused = alice.get("/api/v1/packages/alice/smal-sums")
    assert refused.status_code == 404
    assert refused.json()["near"] == ["alice/small-sums"]
    assert refused.json()["detail"].endswith("Did you mean alice/small-sums?")
    page = alice.get("/packages/alice/smal-sums", headers={"accept": "text/html"})
    assert page.status_code == 404
    assert '<a href="/packages/alice/small-sums">' in page.text
    far = alice.get("/api/v1/packages/zoe/quite-different")
    assert (far.json()["near"], "Did you mean" in far.text) == ([], False)


def test_what_is_private_is_offered_to_nobody(alice: Api, bob: Api) -> None:
    made = alice.post("/api/v1/packages?visibility=private", content=make_package())
    assert made.status_code == 201, made.text
    for who in (alice, bob):
        assert who.get("/api/v1/packages?q=sums").status_code == 200
        assert who.get("/api/v1/packages/alice/smal-sums").json()["near"] == []
