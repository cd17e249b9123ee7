"""What an importer gave is looked at field by field; test_installed has what is said of it."""

from dataclasses import replace
from typing import Any

import pytest

from hub_client.imports.draft import Item, Needs
from hub_client.imports.given import NotGivenError, draft_of, items_of
from tests.hub_client.imports import test_project

GOOD = test_project.draft_of()
SOURCE = GOOD.provenance.source


def test_what_is_right_is_given_on_as_it_is() -> None:
    assert draft_of(GOOD, SOURCE) is GOOD
    assert items_of(iter([Item("a")])) == [Item("a")]


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"timeout_seconds": "10"}, "a draft with a wrong timeout_seconds"),
        ({"files": {"data.txt": "text"}}, r"a draft with a wrong files.data.txt"),
        ({"left_out": ["a"]}, "a draft with a wrong left_out"),
        ({"needs": Needs(dependencies=[None])}, "a draft's needs with a wrong dependencies.0"),  # type: ignore[list-item]
        ({"notes": ["\ud800"]}, "cannot be written"),
    ],
)
def test_each_field_is_looked_at(changed: dict[str, Any], why: str) -> None:
    with pytest.raises(NotGivenError, match=why):
        draft_of(replace(GOOD, **changed), SOURCE)
