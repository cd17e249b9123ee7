"""Where to compute: what is chosen is there, and a choice is made only where there is one."""

import pytest
import torch

from trainer_bridge.errors import SettingsError
from trainer_bridge.models import devices
from trainer_bridge.models.devices import pick_device, pick_dtype

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
