"""One clock for a whole exchange, turned by hand."""

import httpx
import pytest

from hub_client.transport.deadlines import Deadline, _at_most


def test_each_read_gets_what_is_left_and_no_more_than_its_own_limit() -> None:
    now = [100.0]
    deadline = Deadline(10, clock=lambda: now[0])
    assert _at_most(5.0) == 5.0, "no deadline covers this thread yet"
    with deadline.covering():
        assert (_at_most(None), _at_most(3.0)) == (10.0, 3.0)
        now[0] = 108.0
        assert _at_most(3.0) == 2.0
    assert _at_most(None) is None


def test_when_the_time_is_over_nothing_more_is_read() -> None:
    now = [0.0]
    deadline = Deadline(1, clock=lambda: now[0])
    with deadline.covering():
        now[0] = 1.0
        with pytest.raises(httpx.ReadTimeout, match="took too long"):
            _at_most(60.0)
    with pytest.raises(httpx.ReadTimeout), deadline.covering():
        pytest.fail("an exchange began after its deadline")
