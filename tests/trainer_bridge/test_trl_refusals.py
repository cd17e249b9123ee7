"""A setting of TRL's that has no counterpart here is refused with what to do instead."""

import json
from pathlib import Path

import pytest

from tests.trainer_bridge.test_trl_names import BASE
from trainer_bridge.errors import SettingsError
from trainer_bridge.settings import TrainSettings
from trainer_bridge.trl_names import RECIPE_NAMES, translate
from trainer_bridge.trl_refusals import REFUSED


@pytest.mark.parametrize("name", ["num_train_epochs", "gradient_accumulation_steps", "use_vllm", "warmup_ratio"])
def test_what_has_no_counterpart_is_refused_with_what_to_say(name):
    with pytest.raises(SettingsError, match=f"{name} is TRL's and has no counterpart"):
        TrainSettings.make({**BASE, name: 1})


TRL_SETTINGS = json.loads((Path(__file__).parent / "trl_settings.json").read_text())["GRPOConfig"]
"""The 77 fields that GRPOConfig of TRL 1.16 has beside those of TrainingArguments."""


def test_every_setting_of_trls_own_is_understood_or_refused_with_a_reason():
    understood = {*TrainSettings.model_fields, *RECIPE_NAMES}
    refused = set(TRL_SETTINGS) - understood
    assert refused <= set(REFUSED)
    assert not understood & set(REFUSED)
    assert (len(TRL_SETTINGS), len(refused)) == (77, 45)
    with pytest.raises(SettingsError, match="sync_ref_model is TRL's and has no counterpart: the reference is"):
        translate({"sync_ref_model": True})
