"""The forks by which guests are tested stand apart from the tests before them."""

import os
import stat

from tests.sandbox.guest.forked import in_child


class _Forgotten:
    """A descriptor that is closed when the garbage collector finds this."""

    def __init__(self) -> None:
        self.descriptor = os.open(os.devnull, os.O_RDWR)
        self.ring = self

    def __del__(self) -> None:
        os.close(self.descriptor)


def test_what_another_test_forgot_closes_nothing_of_a_guest() -> None:
    """A guest's line gets the number of a forgotten socket, which is collected a moment later."""
    number = _Forgotten().descriptor

    def body() -> bool:
        ours, theirs = os.pipe()
        os.dup2(ours, number)
        assert [[] for _ in range(100_000)]  # with a collector it would run
        os.close(theirs)
        return stat.S_ISFIFO(os.fstat(number).st_mode)

    assert in_child(body)
