from sandbox.guest.clock import LEAST_PAUSE_SECONDS, Clock


class Now:
    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


def test_a_call_has_its_limit_and_a_group_the_sum_of_them() -> None:
    now = Now()
    clock = Clock(2.0, 3, now)
    assert clock.remaining() == 2.0
    now.seconds += 1.5
    clock.call_answered()
    assert clock.remaining() == 2.0
    for _ in range(100):
        now.seconds += 0.1
        clock.call_answered()
    assert clock.remaining() < 0, "answers may not move the end of the group"


def test_waiting_for_a_solution_does_not_count() -> None:
    now = Now()
    clock = Clock(2.0, 1, now)
    now.seconds += 1.0
    clock.pause()
    now.seconds += 30.0
    clock.pause()
    assert clock.remaining() > 0
    clock.resume()
    clock.resume()
    assert clock.remaining() == 1.0
    assert clock.passed == 31.0


def test_all_pauses_together_have_a_total() -> None:
    now = Now()
    clock = Clock(1.0, 1, now)
    pauses = 0
    while clock.remaining() > 0:
        clock.pause()
        if clock.remaining() <= 0:
            break
        now.seconds += LEAST_PAUSE_SECONDS / 64
        clock.resume()
        pauses += 1
    assert pauses == 64


def test_a_longer_limit_gives_longer_pauses() -> None:
    clock = Clock(600.0, 1, Now())
    assert clock.pause_seconds == 6000.0
