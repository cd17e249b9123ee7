"""What is asked of a hub about collections, as a value."""

import json

import pytest

from hub_client.transport.requests import collections
from schemas.collections import CollectionEntry, CollectionWrite
from schemas.names import InvalidNameError


def test_a_write_is_sent_whole_and_may_be_sent_twice() -> None:
    body = CollectionWrite(title="Sums", entries=[CollectionEntry(package="alice/x", note="n")], revision=2)
    call = collections.write_collection("alice/sums", body)
    assert (call.method, call.path, call.is_repeatable) == ("PUT", "/api/v1/collections/alice/sums", True)
    assert json.loads(call.content or b"") == {
        "title": "Sums",
        "text": "",
        "entries": [{"package": "alice/x", "note": "n"}],
        "revision": 2,
    }


def test_what_is_not_asked_for_is_left_out() -> None:
    assert collections.list_collections().params == {}
    assert collections.list_collections("x", owner="alice", limit=5).params == {"q": "x", "owner": "alice", "limit": 5}


@pytest.mark.parametrize("ask", [collections.get_collection, collections.delete_collection])
def test_a_name_that_would_lead_elsewhere_is_none(ask) -> None:
    assert ask("alice/sums").path == "/api/v1/collections/alice/sums"
    for name in ("alice", "../packages", "alice/x/y", "alice/x?owner=bob"):
        with pytest.raises(InvalidNameError):
            ask(name)
