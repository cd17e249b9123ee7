"""Ctrl-C: once is a request, twice is an order."""

import signal
import threading

import pytest

from trainer_bridge.interrupt import StopAfterStep


def test_the_first_interrupt_asks_the_second_stops_and_the_old_handler_comes_back():
    before, said = signal.getsignal(signal.SIGINT), []
    with StopAfterStep(said.append) as stop:
        signal.raise_signal(signal.SIGINT)
        assert stop.is_asked
        assert said == ["Stopping after this step, with a checkpoint. Press Ctrl-C again to stop at once."]
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_another_thread_changes_nothing():
    found = []

    def inside():
        with StopAfterStep(print) as stop:
            found.append(stop.is_asked)

    thread = threading.Thread(target=inside)
    thread.start()
    thread.join()
    assert found == [False]
