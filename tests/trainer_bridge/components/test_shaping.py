"""Filters, shapers, controllers and samplers against worked numbers."""

from dataclasses import replace

import pytest
import torch

from trainer_bridge.batch import State
from trainer_bridge.components.controllers.adaptive_kl import AdaptiveKl
from trainer_bridge.components.controllers.entropy_history import EntropyHistory
from trainer_bridge.components.controllers.magic import Magic
from trainer_bridge.components.controllers.schedules import replay_weight, rubric_bonus, tool_bonus
from trainer_bridge.components.filters.overlong import Overlong
from trainer_bridge.components.filters.pass_rate_band import PassRateBand
from trainer_bridge.components.filters.zero_variance import ZeroVariance
from trainer_bridge.components.registry import make_component
from trainer_bridge.components.samplers.curriculum import Curriculum
from trainer_bridge.components.samplers.uniform import Uniform
from trainer_bridge.components.shapers.backward_correction import BackwardCorrection
from trainer_bridge.components.shapers.empo import empo
from trainer_bridge.components.shapers.lead_length import LeadLength
from trainer_bridge.components.shapers.length_penalty import LengthPenalty
from trainer_bridge.components.shapers.overlong import SoftOverlong
from trainer_bridge.components.shapers.par import par
from trainer_bridge.components.shapers.pear import pear
from trainer_bridge.errors import RecipeError

NAN = float("nan")


def vector(*values):
    return torch.tensor(values, dtype=torch.float64)


def test_dynamic_sampling_drops_groups_that_teach_nothing(make_batch):
    batch = make_batch([1] * 20, [g for g in range(5) for _ in range(4)])
    utility = vector(0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1, 0.5, 0.5, 0.5, 0.5, NAN, NAN, 1, NAN)
    kept = ZeroVariance()(utility, batch)
    assert [bool(kept[4 * group]) for group in range(5)] == [False, True, False, False, False]
    assert kept.view(5, 4).all(-1).sum() + (~kept).view(5, 4).all(-1).sum() == 5  # groups stay or go as a whole


def test_the_pass_rate_band_is_open_at_both_ends(make_batch):
    batch = make_batch([1] * 6, [0, 0, 1, 1, 2, 2])
    assert PassRateBand(0.0, 1.0)(vector(0, 0, 1, 0, 1, 1), batch).tolist() == [False, False, True, True, False, False]


def test_the_overlong_filter_drops_truncated_rows(f1):
    batch = replace(f1, truncated_B=torch.tensor([True, False, False, True]))
    assert Overlong()(torch.zeros(4), batch).tolist() == [False, True, True, False]


def test_soft_overlong_punishment():
    lengths = vector(16000, 16384, 17408, 18432, 20480, 21000)
    assert SoftOverlong().penalty(lengths).tolist() == pytest.approx([0, 0, -0.25, -0.5, -1, -1])
    assert SoftOverlong(variant="verl").penalty(lengths)[-1].item() == pytest.approx(-1.126953, abs=1e-6)


def test_lead_length_prefers_short_right_answers(make_batch):
    # lengths in units of 1000: z does not depend on the unit
    batch = make_batch([5, 6, 8, 1, 1, 1, 1, 1])
    utility = vector(1, 1, 1, 0, 0, 0, 0, 0)
    expected = [1.044610, 1.010971, 0.946907] + [-1.0] * 5
    assert LeadLength()(utility, batch).tolist() == pytest.approx(expected, abs=1e-6)
    short = LeadLength(minimum_length=4000)(utility, batch)
    assert short.tolist() == [1.0] * 3 + [-1.0] * 5
    assert LeadLength()(vector(1, NAN, 1, 0, 0, 0, 0, 0), batch)[1].isnan()


def test_a_length_penalty_starts_after_the_free_length(make_batch):
    assert LengthPenalty(rate=0.5, free=2)(vector(1, 1), make_batch([2, 4])).tolist() == [1.0, 0.0]


def test_the_corrected_reward_is_unbiased(make_batch):
    fpr, fnr = 0.1, 0.3
    corrected = BackwardCorrection(fpr, fnr)(vector(0, 1), make_batch([1, 1]))
    assert (fnr * corrected[0] + (1 - fnr) * corrected[1]).item() == pytest.approx(1.0)  # a right answer
    assert ((1 - fpr) * corrected[0] + fpr * corrected[1]).item() == pytest.approx(0.0, abs=1e-12)  # a wrong one
    with pytest.raises(RecipeError, match="below 1"):
        make_component("shapers", "backward_correction", {"fpr": 0.6, "fnr": 0.5})


def test_formulas_of_pear_par_and_empo():
    assert pear(True, vector(0.6, 0.4, 0.5), vector(0.2, 0.1)) == pytest.approx(0.65)
    assert pear(False, vector(0.6), vector(0.2)) == 0.0
    assert pear(True, vector(0.5), vector()) == pytest.approx(0.5)
    assert par(vector(2.0), vector(0, 1, 2, 3)[None]).item() == pytest.approx(0.595199, abs=1e-6)
    assert par(vector(2.0), vector(2.0)[None]).item() == 0.5
    shares = empo(["a", "a", "a", "b", "b", "c", None])
    assert shares == pytest.approx([0.428571] * 3 + [0.285714] * 2 + [0.142857, 0.0], abs=1e-6)
    assert empo(["a", "b", "c"]) == [0.0] * 3


def test_the_adaptive_kl_controller():
    state = State(coefficients={"kl": 1.0})
    AdaptiveKl(target=0.1, horizon=10000)(state, {"kl": 0.12, "num_completions": 256})
    assert state.coefficients["kl"] == pytest.approx(1.00512)


def test_magic_switches_the_bonus_on_below_its_target():
    state, coefficients, applied = State(), [], []
    for entropy in (0.5, 0.15, 0.1, 0.19, 0.2, 0.3):
        Magic(target=0.2, delta=1e-4, low=0, high=2e-4)(state, {"entropy": entropy})
        coefficients.append(state.memory["magic"])
        applied.append(state.coefficients["entropy"])
    assert coefficients == pytest.approx([0, 1e-4, 2e-4, 2e-4, 1e-4, 0])
    assert applied == pytest.approx([0, 1e-4, 2e-4, 2e-4, 0, 0])


def test_entropy_history_is_a_running_mean():
    state = State()
    for entropy in (1.0, 2.0, 6.0):
        EntropyHistory()(state, {"entropy": entropy})
    assert state.memory["entropy_history_mean"] == pytest.approx(3.0)


def test_schedules():
    assert [tool_bonus(3, step) for step in (0, 50, 100, 101)] == pytest.approx([0.3, 0.15, 0, 0])
    assert [replay_weight(step) for step in (0, 50, 100, 200, 900)] == pytest.approx([0, 0.146447, 0.5, 1, 1], abs=1e-6)
    assert rubric_bonus(0.4, 0.9) == pytest.approx(0.425)


def test_uniform_is_a_new_permutation_each_seed_and_the_same_for_the_same():
    keys = [str(number) for number in range(20)]
    assert Uniform().order(keys, {}, "0/0/0") == Uniform().order(keys, {}, "0/0/0")
    assert Uniform().order(keys, {}, "0/0/0") != Uniform().order(keys, {}, "0/0/1")
    assert sorted(Uniform().order(keys, {}, "x")) == list(range(20))


def test_the_curriculum_puts_low_but_not_zero_pass_rates_first():
    rates = {"never": 0.0, "rarely": 0.25, "often": 0.8, "always": 1.0}
    order = Curriculum(noise=0.0).order([*rates, "unseen"], rates, "s")
    assert [[*rates, "unseen"][index] for index in order] == ["rarely", "unseen", "never", "often", "always"]
