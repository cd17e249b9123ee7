"""What changes during a run comes back from a checkpoint as it was."""

import json

import numpy as np

from schemas.manifest import RewardDeclaration
from trainer_bridge.reports.evaluation import Evaluation, ranges_of
from trainer_bridge.rewards import RewardSpace
from trainer_bridge.run_state import TrainingState

SPACE = RewardSpace({"right": RewardDeclaration()})


def test_a_state_comes_back_from_json_as_it_was():
    state = TrainingState(
        step=7,
        coefficients={"kl": 0.1},
        memory={"magic": 0.2},
        before=Evaluation({"right": np.array([0.0, 1.0, np.nan])}, ranges_of(SPACE), {}, ()),
        last_metrics={"reward": 0.5},
        tokens=1234.0,
        steps_with_signal=3,
        lost_tries=3,
        warm_up_steps=4,
    )
    again = TrainingState.from_json(json.loads(json.dumps(state.to_json())), SPACE)
    assert again.step == 7
    assert again.to_json() == state.to_json()
    assert again.before.mean("right") == state.before.mean("right")


def test_a_new_state_comes_back_as_well():
    assert TrainingState.from_json(TrainingState().to_json(), SPACE).to_json() == TrainingState().to_json()
