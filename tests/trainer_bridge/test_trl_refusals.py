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


TRL_SETTINGS = json.loads((Path(__file__).parent / "trl_settings.json").read_text())
"""The 77 fields of TRL 1.16's own in GRPOConfig, the 114 that it inherits from transformers' TrainingArguments, and the
19 of its ModelConfig.
"""


@pytest.mark.parametrize(
    ("settings", "count", "without"), [("GRPOConfig", 77, 45), ("TrainingArguments", 114, 91), ("ModelConfig", 19, 14)]
)
def test_every_setting_of_trls_is_understood_or_refused_with_a_reason(settings, count, without):
    names, refused = TRL_SETTINGS[settings], []
    for name in names:
        try:
            understood, changes = translate({name: True})
        except SettingsError as error:
            assert str(error) == f"{name} is TRL's and has no counterpart: {REFUSED[name]}"  # noqa: PT017 -- of each
            refused.append(name)
        else:
            assert set(understood) <= set(TrainSettings.model_fields), name
            assert set(changes) <= set(RECIPE_NAMES), name
            assert understood or changes, name
    assert (len(names), len(refused)) == (count, without)


def test_nothing_that_is_understood_is_refused_too():
    assert not {*TrainSettings.model_fields, *RECIPE_NAMES} & set(REFUSED)
    with pytest.raises(SettingsError, match="sync_ref_model is TRL's and has no counterpart: the reference is"):
        translate({"sync_ref_model": True})
