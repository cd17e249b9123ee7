"""Calls about watches: each may be sent twice."""

import pytest

from hub_client.transport.requests import watches
from schemas.watches import MailPace

HERE = "/account/watches"


@pytest.mark.parametrize(
    ("call", "method", "path"),
    [
        (watches.list_watches(), "GET", HERE),
        (watches.set_pace(MailPace.DAY), "PUT", HERE),
        (watches.watch("al"), "PUT", f"{HERE}/al"),
        (watches.unwatch("al/x"), "DELETE", f"{HERE}/al/x"),
    ],
)
def test_where_each_call_goes(call, method, path) -> None:
    assert (call.method, call.path.removeprefix("/api/v1"), call.is_repeatable) == (method, path, True)
