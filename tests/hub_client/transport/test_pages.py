"""A list is read to its end, and a hub whose lists have none is left with a sentence."""

import pytest

from hub_client.errors import HubUnreachableError
from hub_client.transport.pages import MOST_PAGES, all_items
from schemas.page import Page


def test_pages_are_read_in_order_until_there_is_no_cursor():
    pages = {None: Page(items=[1, 2], next="b"), "b": Page(items=[], next="c"), "c": Page(items=[3])}
    assert all_items(pages.__getitem__) == [1, 2, 3]


@pytest.mark.parametrize("circle", [["a"], ["a", "b", "c"]])
def test_a_hub_that_sends_its_reader_in_circles_is_left(circle):
    after = dict(zip([None, *circle], [*circle, circle[0]], strict=True))
    asked = []

    def ask(cursor):
        asked.append(cursor)
        return Page(items=["x"], next=after[cursor])

    with pytest.raises(HubUnreachableError, match="no end"):
        all_items(ask)
    assert len(asked) == len(circle) + 1


def test_a_hub_with_a_fresh_cursor_for_ever_is_left():
    with pytest.raises(HubUnreachableError, match=f"{MOST_PAGES} entries so far"):
        all_items(lambda cursor: Page(items=["x"], next=f"{cursor}."))
