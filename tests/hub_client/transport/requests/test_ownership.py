"""What is sent to give a package away, to close it and to delete: method, path, body."""

import json
from typing import Any

import pytest

from hub_client.transport.requests import ownership
from hub_client.transport.requests.call import ApiCall

SUMS = "alice/small-sums"
AT = "/api/v1/packages/alice/small-sums"
CALLS: list[tuple[ApiCall[Any], str, str, dict[str, Any] | None]] = [
    (ownership.archive(SUMS, "old"), "POST", f"{AT}/archive", {"reason": "old"}),
    (ownership.unarchive(SUMS), "POST", f"{AT}/unarchive", None),
    (ownership.delete_package(SUMS), "DELETE", AT, None),
    (ownership.delete_release(SUMS, "1.0.0"), "DELETE", f"{AT}/releases/1.0.0", None),
    (ownership.list_transfers(SUMS), "GET", f"{AT}/transfers", None),
    (ownership.offer(SUMS, "lab"), "POST", f"{AT}/transfer", {"to": "lab"}),
    (ownership.take_back(SUMS), "DELETE", f"{AT}/transfer", None),
    (ownership.answer(SUMS, accept=False), "POST", f"{AT}/transfer/answer", {"accept": False}),
    (ownership.list_offers(), "GET", "/api/v1/account/transfers", None),
]


@pytest.mark.parametrize(("call", "method", "path", "body"), CALLS, ids=[f"{one[1]} {one[2]}" for one in CALLS])
def test_each_call_is_what_the_hub_is_asked(call: ApiCall[Any], method: str, path: str, body: object) -> None:
    assert (call.method, call.path) == (method, path)
    assert (json.loads(call.content) if call.content is not None else None) == body


def test_what_cannot_be_undone_is_not_sent_twice_by_itself() -> None:
    """A retry of an answer would be refused as *no such offer*, although the first one counted."""
    assert not ownership.answer(SUMS, accept=True).is_repeatable
    assert ownership.delete_release(SUMS, "1.0.0").is_repeatable
