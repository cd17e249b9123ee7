"""A hub that lies in everything that it does not sign: the mirror stays up, shows pages, and is right again afterwards."""

import copy
import itertools
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from hub_server.mirror.actions import origin as origin_module
from hub_server.mirror.actions import passes
from tests.making.action_driver import ActionDriver
from tests.making.mirror import Mirror

SUMS = "/api/v1/packages/alice/small-sums"
HOSTILE: tuple[Any, ...] = (
    None, -1, 2**31, 2**63, 10**400, 1e308, "", "\u202e\x1b[2J\x00", "x" * 5000, "../../etc/passwd", "<script>", "0001-01-01T00:00:00",
    "9999-12-31T23:59:59+14:00", [], {}, [[]] * 50, True,
)  # fmt: skip
ASKED = {
    "card": "/packages/alice/small-sums",
    "releases": "/releases?",
    "events": "/events?",
}
LIES_EACH = 25  # of some hundred: each is a whole pass


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Where something can be put in another's place."""
    if path:
        yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield from places(one, (*path, key))


def with_lie(body: bytes, at: tuple[str | int, ...], lie: Any) -> bytes:
    data = copy.deepcopy(json.loads(body))
    place = data
    for key in at[:-1]:
        place = place[key]
    place[at[-1]] = lie
    return json.dumps(data).encode()


def shown(mirror: Mirror) -> dict[str, int]:
    paths = ("/", "/packages/alice/small-sums", "/packages", "/events", SUMS, f"{SUMS}/releases", f"{SUMS}/audits")
    return {path: mirror.api.get(path).status_code for path in (*paths, "/feed.xml", "/readyz", "/api/v1/events")}


@pytest.mark.parametrize("what", ASKED)
def test_no_lie_outside_of_what_is_signed_breaks_the_mirror_for_longer_than_it_lasts(
    what: str, origin: ActionDriver, mirror: Mirror
) -> None:
    seen: dict[str, bytes] = {}

    def keep(status: int, body: bytes) -> tuple[int, bytes]:
        seen[what] = body
        return status, body

    part = ASKED[what]
    mirror.wire.lies = {part: keep}
    assert mirror.follow()
    before = (mirror.pages(), mirror.api.get(SUMS).json())
    pairs = list(itertools.product(places(json.loads(seen[what])), HOSTILE))
    for at, lie in random.Random(what).sample(pairs, LIES_EACH):
        body = with_lie(seen[what], at, lie)
        mirror.wire.lies = {part: lambda _status, _body, body=body: (200, body)}
        mirror.wait(2 * 86400)
        assert mirror.follow(), (at, lie, mirror.state)
        wrong = {path: status for path, status in shown(mirror).items() if status >= 500}
        assert set(wrong) <= {"/readyz"}, (at, lie, wrong)
    mirror.wire.lies = {}
    for _ in range(3):
        mirror.wait(2 * 86400)
        assert mirror.follow()
    assert (mirror.pages(), mirror.api.get(SUMS).json()) == before


def test_a_mirror_that_is_told_to_stop_copies_no_other_page_of_a_journal(
    mirror: Mirror, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hub that gives one entry a page held up whoever stopped the mirror for as long as it had entries."""
    monkeypatch.setattr(origin_module, "PAGE", 1)
    assert passes.run_pass(mirror.services, lambda: True), "packages may be due"
    assert len([path for path in mirror.wire.asked if "/journal/entries" in path]) == 1
    monkeypatch.undo()
    assert mirror.follow()
    assert mirror.pages() == ["alice/small-sums", "bob/other"], "it goes on where it was"
