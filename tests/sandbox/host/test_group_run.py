from sandbox.errors import BoxLostError
from sandbox.guest import frames
from sandbox.host.group_run import GroupResult, GroupRun
from sandbox.host.solution_relay import Allowance, SolutionRelay
from tests.sandbox.clocks import HandClock
from tests.sandbox.guests import reply

FINISHED = (frames.FINISHED, 0, 5, 4, 3, 2, 0)


def group(count: int = 2, seconds: float = 1.0) -> tuple[GroupRun, list[GroupResult | BoxLostError]]:
    ends: list[GroupResult | BoxLostError] = []
    return GroupRun(7, count, seconds, lambda _, result: ends.append(result)), ends


def relay() -> SolutionRelay:
    return SolutionRelay(None, lambda _: None, HandClock(), Allowance(1, 1.0, 1.0))


def result_of(*parts: bytes) -> GroupResult:
    run, _ = group()
    for part in parts:
        run.take_replies(part)
    found = run.result(FINISHED)
    assert isinstance(found, GroupResult)
    return found


def test_replies_may_come_in_any_order_and_in_any_pieces() -> None:
    stream = reply(1, index=1) + reply(0, index=0)
    for cut in range(len(stream) + 1):
        found = result_of(stream[:cut], stream[cut:])
        assert found.is_complete
        assert [text for text, _ in found.replies if text] == [b"0", b"1"]  # type: ignore[misc]


def test_half_a_reply_a_second_answer_and_a_wrong_index_spoil_the_group() -> None:
    assert result_of(reply(0), reply(1, index=1)[:-1]).problem == "half a reply"
    assert "twice" in result_of(reply(0), reply(0)).problem
    assert "call 9 of 2" in result_of(reply(0, index=9)).problem
    assert not result_of(reply(0), reply(0), reply(1, index=1)).is_complete


def test_a_flood_of_replies_is_a_problem_and_is_not_kept() -> None:
    run, _ = group()
    for _ in range(70):
        run.take_replies(b"")
        run.take_replies(bytes(1 << 20))
    found = run.result(FINISHED)
    assert isinstance(found, GroupResult)
    assert found.problem


def test_a_group_whose_solution_failed_by_our_fault_is_lost_not_judged() -> None:
    run, _ = group()
    run.relay = relay()
    run.relay.host_fault = "no box"
    assert isinstance(run.result(FINISHED), BoxLostError)


def test_its_end_is_told_once() -> None:
    run, ends = group()
    run.end(BoxLostError("first"))
    run.end(BoxLostError("second"))
    assert [str(end) for end in ends] == ["first"]


def test_progress_moves_one_clock_and_not_the_other() -> None:
    run, _ = group(count=2, seconds=1.0)
    run.begin(100.0)
    run.progressed(103.0)
    assert run.seconds_without_progress(103.5) == 0.5
    assert run.seconds_overdue(103.0, grace_seconds=0.0) < 0
    assert run.seconds_overdue(105.0, grace_seconds=0.0) > 0
    run.relay = relay()
    run.relay.busy_seconds = 60.0
    assert run.seconds_overdue(105.0, grace_seconds=0.0) < 0
