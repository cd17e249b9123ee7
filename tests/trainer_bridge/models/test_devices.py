"""Where to compute: what is chosen is there, and a choice is made only where there is one."""

import pytest
import torch

from trainer_bridge.errors import SettingsError
from trainer_bridge.models import devices
from trainer_bridge.models.devices import pick_device, pick_dtype, pick_threads

CPU = torch.device("cpu")


def test_the_number_type_is_what_is_asked_for_or_measured(monkeypatch):
    assert pick_dtype("float32", CPU, is_tiny=False) is torch.float32
    assert pick_dtype("auto", CPU, is_tiny=True) is torch.float32
    monkeypatch.setattr(devices, "_product_seconds", {torch.bfloat16: 1.0, torch.float32: 3.0}.get)
    assert pick_dtype("auto", CPU, is_tiny=False) is torch.bfloat16
    monkeypatch.setattr(devices, "_product_seconds", {torch.bfloat16: 3.0, torch.float32: 1.0}.get)
    assert pick_dtype("auto", CPU, is_tiny=False) is torch.float32


def test_a_device_that_is_not_there_is_refused():
    assert pick_device("cpu") == CPU
    with pytest.raises(SettingsError, match="cannot be used here"):
        pick_device("nonsense")


@pytest.mark.parametrize(("fast", "expected"), [(1, 1), (4, 4)])
def test_the_faster_number_of_threads_is_set(fast, expected, monkeypatch):
    chosen = []
    monkeypatch.setattr(devices, "_chain_seconds", lambda threads: 0.1 if threads == fast else 0.2)
    monkeypatch.setattr(devices.torch, "set_num_threads", chosen.append)
    assert pick_threads(4) == expected
    assert chosen == [expected]


def test_with_one_thread_nothing_is_measured(monkeypatch):
    monkeypatch.setattr(devices, "_chain_seconds", lambda threads: pytest.fail("measured"))
    assert pick_threads(1) == 1


def test_what_is_picked_is_set_on_this_machine():
    before = torch.get_num_threads()
    try:
        picked = pick_threads(2)
        assert picked in (1, 2)
        assert torch.get_num_threads() == picked
    finally:
        torch.set_num_threads(before)
