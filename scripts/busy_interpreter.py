"""A pytest plugin: ``pytest -p scripts.busy_interpreter`` lets another thread of the process compute now and then.

While it computes, whoever waits for the interpreter gets it 5 ms later. So what a thread does ends in another turn of
an event loop than usual, and between two statements of a test much can happen. A test that counts turns, or that takes
two steps for one, fails soon with this plugin. ``VERIHUB_BUSY_SECONDS`` (default 0.1) is the longest computation, and
the longest rest between two. Tests take about twice as long; limits of a second or less can be missed: what fails is to
be read, not counted.
"""

import os
import random
import threading
import time

_LONGEST = float(os.environ.get("VERIHUB_BUSY_SECONDS", "0.1"))
_random = random.Random()  # noqa: S311 -- no secret; of its own, since tests seed the module's
_busy: set[int] = set()


def pytest_runtest_setup() -> None:
    """One such thread in each process that runs tests: a fork has none of its parent's."""
    if os.getpid() not in _busy:
        _busy.add(os.getpid())
        threading.Thread(target=_compute, daemon=True, name="busy-interpreter").start()


def _compute() -> None:
    while True:
        until = time.monotonic() + _random.uniform(0, _LONGEST)
        while time.monotonic() < until:
            sum(range(1000))
        time.sleep(_random.uniform(0, _LONGEST))
