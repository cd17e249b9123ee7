"""A search says what it cannot take, and has an order of its own where nothing is said."""

import pytest

from hub_server.catalog.rules.search_request import MOST_VALUES, SearchRequest
from hub_server.errors import InvalidRequestError
from schemas.package import PackageSort


def test_what_was_chosen_is_told_by_facet() -> None:
    chosen = SearchRequest(tags=("math", "code"), owner="alice").chosen
    assert {facet: values for facet, values in chosen.items() if values} == {
        "tag": ("math", "code"),
        "owner": ("alice",),
    }


def test_more_values_than_a_database_takes_are_refused_by_the_name_of_their_facet() -> None:
    values = tuple(f"t{n}" for n in range(MOST_VALUES + 1))
    SearchRequest(sources=values[1:])
    with pytest.raises(InvalidRequestError, match="source takes at most"):
        SearchRequest(sources=values)


@pytest.mark.parametrize(
    ("text", "sort", "order"),
    [
        ("sums", PackageSort.RELEVANCE, PackageSort.RELEVANCE),
        (" \n", PackageSort.RELEVANCE, PackageSort.UPDATED),
        ("", PackageSort.ERROR, PackageSort.ERROR),
    ],
)
def test_without_words_there_is_no_relevance(text: str, sort: PackageSort, order: PackageSort) -> None:
    assert SearchRequest(text=text, sort=sort).order is order
