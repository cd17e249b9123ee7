"""Packages that are like one, as the hub ranks them."""

from tests.making.scripted_hub import card_of


def test_they_come_in_the_hubs_order_and_none_is_said_in_words(verihub, scripted) -> None:
    cards = [card_of("bob/y", summary="sums too"), card_of("alice/z")]
    scripted.on("GET", "/packages/alice/x/similar", {"items": [card.model_dump(mode="json") for card in cards]})
    assert verihub("similar", "alice/x", "-q").out.split() == ["bob/y", "alice/z"]
    assert "sums too" in verihub("similar", "alice/x@1.0.0").out
    scripted.on("GET", "/packages/alice/x/similar", {"items": []})
    assert verihub("similar", "alice/x").out.strip() == "no package is like it"
    assert verihub("similar", "no name").code == 2


def test_a_live_hub_answers(verihub, measured) -> None:
    assert verihub("similar", "reader/letters").code == 0
    assert verihub("dependants", "reader/letters").out.strip() == "no package uses it"
    assert verihub("search", "letters").code == 0, "the hub's index knows the package from here on"
    mistyped = verihub("similar", "reader/leters")
    assert (mistyped.code, "Did you mean reader/letters?" in mistyped.err) == (4, True), mistyped.err
