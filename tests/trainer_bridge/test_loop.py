"""The loop as a whole, on a tiny real model: it learns, resumes to the last bit, reports, and fails clearly."""

import json

import pytest
import torch
from safetensors.torch import load_file

from schemas.manifest import RewardDeclaration
from schemas.run import RunState
from schemas.verdict import ErrorKind, Verdict
from trainer_bridge.errors import CheckpointMismatchError, NoSignalError, ScoringError, SettingsError
from trainer_bridge.loop import train


def weights_of(result):
    return load_file(result.model_folder / "model.safetensors")


def test_the_reward_climbs_to_the_top_on_a_toy_task(fake_hub, make_settings):
    settings = make_settings(steps=60, prompts_per_step=4, num_generations=8, max_completion_length=12, eval_tasks=8)
    result = train(settings, hub=fake_hub())
    change = result.rewards["digits"]
    assert change.before.value < 0.4
    assert change.after.value > 0.95
    assert change.is_outside_noise
