"""What went over a box's line is kept, the latest of it, so that a wrong verdict can be explained."""

import json

from sandbox.checks.harm.flight_record import _PIECE_BYTES, _PIECES, BoxRecord, _WatchedReceiver
from sandbox.checks.harm.work import _KEPT, _KEPT_BOXES, Tally
from schemas.verdict import Verdict


class Told:
    """A receiver that notes what it is told."""

    def __init__(self) -> None:
        self.said: list[object] = []

    def received(self, data: bytes) -> None:
        self.said.append(data)

    def closed(self, reason: str) -> None:
        self.said.append(reason)


def test_the_latest_pieces_are_kept_and_go_on_to_the_box() -> None:
    record, told = BoxRecord("solution", "", "abc"), Told()
    receiver = _WatchedReceiver(told, record)
    for number in range(_PIECES + 3):
        receiver.received(b"%d" % number + bytes(2 * _PIECE_BYTES))
    receiver.closed("the container ended")
    kept = record.as_json()
    assert len(told.said) == _PIECES + 4
    assert (kept["container"], kept["ended"], len(kept["pieces"])) == ("abc", "the container ended", _PIECES)
    assert "<- b'3\\x00" in kept["pieces"][0]
    assert len(record.pieces[0][2]) == _PIECE_BYTES


def test_a_wrong_verdict_is_told_at_once_with_what_the_boxes_said() -> None:
    """Whatever ends the run, its words are kept: the cause of the first that were wrong was in them alone."""
    said: list[str] = []
    tally, record = Tally(say=said.append), BoxRecord("solution", "")
    record.add("<-", b"AssertionError: 10")
    for _ in range(_KEPT + 1):
        tally.take("x", 1.0, Verdict(rewards={"correct": 0.0}), [record])
    assert (tally.wrong, len(tally.first), len(tally.boxes)) == (_KEPT + 1, _KEPT, _KEPT_BOXES)
    assert "x, expected 1.0" in said[0]
    assert "AssertionError: 10" in said[1]
    assert "AssertionError: 10" in json.dumps(tally.as_json())


def test_a_right_verdict_is_not_told() -> None:
    said: list[str] = []
    tally = Tally(say=said.append)
    tally.take("x", 1.0, Verdict(rewards={"correct": 1.0}), [BoxRecord("solution", "")])
    assert (said, tally.first, tally.boxes) == ([], [], [])
