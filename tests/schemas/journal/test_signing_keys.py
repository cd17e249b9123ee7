"""A hub's public keys: they travel, and no other algorithm is taken."""

from schemas.journal.signing_keys import SigningKey, SigningKeys
from tests.making.wire import check_wire, refusal

KEY = {"id": "k", "public_key": "AAAA"}


def test_keys_travel_with_what_introduced_them() -> None:
    check_wire(SigningKeys, {"items": [KEY | {"is_current": True}, KEY | {"introduction": "note"}]})
    first = check_wire(SigningKey, KEY)
    assert isinstance(first, SigningKey)
    assert (first.introduction, first.is_current, first.first_used_at) == ("", False, None)


def test_another_algorithm_is_refused() -> None:
    assert "algorithm" in refusal(SigningKeys, {"items": [KEY | {"algorithm": "none"}]})
