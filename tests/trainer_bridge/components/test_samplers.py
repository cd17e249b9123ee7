"""Which task comes next."""

import torch

from trainer_bridge.components.samplers import Curriculum, Uniform

NAN = float("nan")


def vector(*values):
    return torch.tensor(values, dtype=torch.float64)


def test_uniform_is_a_new_permutation_each_seed_and_the_same_for_the_same():
    keys = [str(number) for number in range(20)]
    assert Uniform().order(keys, {}, "0/0/0") == Uniform().order(keys, {}, "0/0/0")
    assert Uniform().order(keys, {}, "0/0/0") != Uniform().order(keys, {}, "0/0/1")
    assert sorted(Uniform().order(keys, {}, "x")) == list(range(20))


def test_the_curriculum_prefers_low_but_not_zero_pass_rates_and_forgets_nothing():
    rates = {"never": 0.0, "rarely": 0.25, "often": 0.8, "always": 1.0}
    keys = [*rates, "unseen"]
    orders = [Curriculum().order(keys, rates, f"s{number}") for number in range(2000)]
    assert all(sorted(order) == list(range(5)) for order in orders)
    first = [sum(keys[order[0]] == key for order in orders) for key in ("rarely", "unseen", "never", "often", "always")]
    assert first == sorted(first, reverse=True)
    assert first[-1] > 0
