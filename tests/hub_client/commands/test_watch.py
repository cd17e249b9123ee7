"""Watching from the shell."""

import httpx
import pytest

LISTED = {
    "items": [{"owner": "alice", "package": "alice/sums", "since": "2026-11-25T00:00:00Z"}],
    "pace": "hour",
    "is_mailed": False,
}


def test_all_that_can_be_done(verihub, scripted) -> None:
    scripted.on("GET", "/account/watches", LISTED)
    scripted.on("PUT", "/account/watches/alice/sums", httpx.Response(204))
    said = verihub("watch", "add", "alice/sums")
    assert (said.code, said.out.strip()) == (0, "you watch alice/sums")
    assert "confirm your address" in said.err
    listed = verihub("watch", "list")
    assert "alice/sums" in listed.out
    assert "once your address is confirmed" in listed.err
    scripted.on("PUT", "/account/watches", httpx.Response(204))
    assert "at most one a day" in verihub("watch", "pace", "day").out
    scripted.on("DELETE", "/account/watches/alice", httpx.Response(204))
    assert verihub("watch", "remove", "alice").code == 0


@pytest.mark.parametrize("arguments", [["add", "a b"], ["add", "a/b/c"], ["remove", "/"], ["pace", "minute"]])
def test_what_makes_no_sense_is_said_before_anything_is_asked(verihub, scripted, arguments) -> None:
    assert verihub("watch", *arguments).code == 2
    assert scripted.asked == []
