"""Token weights and modifiers: worked numbers, no gradient, padding ignored."""

from dataclasses import replace

import pytest
import torch

from trainer_bridge.components.modifiers import EntropyAdvantage, HapoScale, Lead, Prl, difficulty_weight, entropy_score
from trainer_bridge.components.token_weights import (
    ClipCov,
    HighEntropy,
    KlCov,
    OffPolicyMask,
    Steer,
    TruncatedImportance,
    covariance,
)


def row(*values):
    return torch.tensor([values], dtype=torch.float64)


COV_A, COV_LP = row(1.0, 1, -1, -1, 2, -2), row(-0.1, -2, -0.3, -1.5, -0.05, -2.5)


def test_covariance_of_the_worked_example():
    mask = torch.ones(1, 6, dtype=torch.bool)
    assert covariance(COV_A, COV_LP, mask)[0].tolist() == pytest.approx([0.975, -0.925, -0.775, 0.425, 2.05, 2.85])


def test_clip_cov_zeroes_candidates_only(make_batch):
    batch = make_batch([6], current_logprobs_BT=COV_LP, old_logprobs_BT=COV_LP)
    assert ClipCov(ratio=1.0)(COV_A, batch).multiply_BT[0].tolist() == [1, 1, 1, 1, 0, 0]
    one = ClipCov(ratio=1e-9)(COV_A, batch).multiply_BT[0]  # at least one even in a tiny batch
    assert one.sum() == 5
    assert one[:4].all()
    already = make_batch([6], current_logprobs_BT=COV_LP, old_logprobs_BT=COV_LP - row(0, 0, 0, 0, 5.0, 0))
    assert ClipCov(ratio=1.0)(COV_A, already).multiply_BT[0].tolist() == [1, 1, 1, 1, 1, 0]


def test_kl_cov_penalises_the_top_token(make_batch):
    old = COV_LP - row(0.1, -0.1, 0.05, 0, 0.2, -0.3)
    batch = make_batch([6], current_logprobs_BT=COV_LP, old_logprobs_BT=old)
    weights = KlCov()(COV_A, batch)
    ratio = (COV_LP - old).exp()
    plain = -COV_A * ratio
    penalised = plain + weights.drift_BT * (COV_LP - old).abs()
    assert weights.drift_BT[0].tolist() == [0, 0, 0, 0, 0, 1]
    assert plain[0, 5].item() == pytest.approx(1.481636, abs=1e-6)
    assert penalised[0, 5].item() == pytest.approx(1.781636, abs=1e-6)
    assert plain.mean().item() == pytest.approx(-0.153318, abs=1e-6)
    assert penalised.mean().item() == pytest.approx(-0.103318, abs=1e-6)


def test_steer_linear_and_exponential(make_batch):
    lp = row(0.9, 0.5, 0.1, 0.99).log()
    batch = make_batch([4], current_logprobs_BT=lp, old_logprobs_BT=lp, entropy_BT=row(0.4, 0.9, 1.5, 0.05))
    advantages = row(1.0, 1, -1, -1)
    change = Steer().entropy_change(advantages, batch)[0]
    assert change.tolist() == pytest.approx([0.029464, 0.103426, 0.722327, 0.000399], abs=1e-6)
    linear = Steer(mapping="linear")(advantages, batch).multiply_BT[0]
    assert linear.tolist() == pytest.approx([1.183896, 1.142916, 0.8, 1.2], abs=1e-6)
    exponential = Steer()(advantages, batch).multiply_BT[0]
    assert exponential.tolist() == pytest.approx([0.990939, 0.968554, 0.8, 0.999877], abs=1e-6)
    even = make_batch(
        [2], current_logprobs_BT=lp[:, :2] * 0 - 1, old_logprobs_BT=lp[:, :2] * 0 - 1, entropy_BT=row(0.5, 0.5)
    )
    assert Steer(mapping="linear")(row(1.0, 1.0), even).multiply_BT[0].tolist() == [1.0, 1.0]


def test_high_entropy_keeps_the_top_fifth_by_interpolated_quantile(make_batch):
    entropy = row(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 2.0)
    batch = make_batch([8], entropy_BT=entropy)
    for over in ("batch", "row"):
        assert HighEntropy(over=over)(entropy, batch).multiply_BT[0].tolist() == [0, 0, 0, 0, 0, 0, 1, 1]
    padded = make_batch([8, 1], entropy_BT=torch.cat([entropy, torch.full_like(entropy, 9.0)]))
    assert HighEntropy(over="row")(padded.entropy_BT, padded).multiply_BT[0].tolist() == [0, 0, 0, 0, 0, 0, 1, 1]
    assert HighEntropy()(padded.entropy_BT, padded).multiply_BT[1, 1:].sum() == 0


def test_importance_is_truncated_or_masked_by_token_or_sequence(make_batch):
    batch = make_batch([2, 2], old_logprobs_BT=torch.tensor([[1.0, 0.1], [0.0, 0.0]], dtype=torch.float64))
    ones = torch.ones(2, 2, dtype=torch.float64)
    e = torch.tensor(0.1).exp().item()
    assert TruncatedImportance()(ones, batch).multiply_BT[0].tolist() == pytest.approx([2.0, e])
    assert TruncatedImportance(mode="mask")(ones, batch).multiply_BT[0].tolist() == pytest.approx([0.0, e])
    mean = torch.tensor(0.55).exp().item()
    assert TruncatedImportance(level="sequence")(ones, batch).multiply_BT[0].tolist() == pytest.approx([mean, mean])
    whole = torch.tensor(1.1).exp().item()
    by_sum = TruncatedImportance(level="sequence_sum", cap=4.0, floor=1.01)
    assert by_sum(ones, batch).multiply_BT.flatten().tolist() == pytest.approx([whole, whole, 1.01, 1.01])
    masked = replace(by_sum, mode="mask")(ones, batch).multiply_BT
    assert masked.flatten().tolist() == pytest.approx([whole, whole, 0.0, 0.0])


def test_the_off_policy_mask_keeps_row_two_of_f1_and_drops_a_far_one(f1, f1_log_ratio):
    old = torch.zeros_like(f1_log_ratio)
    batch = replace(f1, current_logprobs_BT=f1_log_ratio, sampler_logprobs_BT=old)
    negative = -torch.ones(4, 4, dtype=torch.float64)
    drift = ((old - f1_log_ratio) * f1.mask_BT).sum(-1) / f1.length_B
    assert drift[1].item() == pytest.approx(-0.238878, abs=1e-6)
    assert OffPolicyMask()(negative, batch).multiply_BT.all()
    far = replace(batch, current_logprobs_BT=f1_log_ratio - 2)
    assert not OffPolicyMask()(negative, far).multiply_BT.any()
    assert OffPolicyMask()(-negative, far).multiply_BT.all()


HAPO_H = torch.tensor([0.01, 0.05, 0.2, 0.4, 1.0, 2.0], dtype=torch.float64)


def test_hapo_scores_as_intended_and_as_in_the_official_code():
    intent = [-1, -0.650515, -0.349485, -0.198970, 0, 1]
    assert entropy_score(HAPO_H).tolist() == pytest.approx(intent, abs=1e-6)
    code = [1, 0.650515, 0.349485, 0.198970, 0, 1]
    assert entropy_score(HAPO_H, variant="official_code").tolist() == pytest.approx(code, abs=1e-6)
    assert entropy_score(torch.full((4,), 0.3)).tolist() == [0.0] * 4


def test_hapo_scales_uncertain_tokens_outside_and_certain_ones_inside_the_band(make_batch):
    old = torch.zeros(1, 6, dtype=torch.float64)
    inside = make_batch([6], entropy_BT=HAPO_H[None], current_logprobs_BT=old, old_logprobs_BT=old)
    ones = torch.ones(1, 6, dtype=torch.float64)
    assert HapoScale()(ones, torch.zeros(1), inside)[0].tolist() == pytest.approx(
        [0, 0.349485, 0.650515, 0.80103, 1, 1], abs=1e-6
    )
    outside = make_batch([6], entropy_BT=HAPO_H[None], current_logprobs_BT=old + 1, old_logprobs_BT=old)
    assert HapoScale()(ones, torch.zeros(1), outside)[0].tolist() == pytest.approx([1, 1, 1, 1, 1, 2])


def test_lead_weights_and_the_worked_group(make_batch):
    xs = torch.tensor([0, 0.125, 0.25, 0.5, 0.75, 0.875, 1], dtype=torch.float64)
    weights = [1.499392, 1.497881, 1.492638, 1.416556, 0.95, 0.644970, 0.483444]
    assert difficulty_weight(xs).tolist() == pytest.approx(weights, abs=1e-6)
    batch = make_batch([1] * 8)
    utility = torch.tensor([1.0] * 3 + [-1.0] * 5, dtype=torch.float64)
    advantages = torch.tensor([1.249482, 1.217008, 1.155162] + [-0.724330] * 5, dtype=torch.float64)[:, None]
    expected = [1.842643, 1.794752, 1.703547] + [-0.909056] * 5
    assert Lead()(advantages, utility, batch)[:, 0].tolist() == pytest.approx(expected, abs=1e-5)


def test_prl_credits_from_the_end_of_the_step(make_batch):
    moved = row(0.2, -0.1, 0.4, 0.0, 0.3)
    batch = make_batch([5], old_logprobs_BT=moved, reference_logprobs_BT=torch.zeros_like(moved))
    result = Prl(eta=2.0, step_length=2)(torch.ones(1, 5, dtype=torch.float64), torch.zeros(1), batch)
    assert result[0].tolist() == pytest.approx([0.7, 0.7, 0.85, 0.85, 0.85])


def test_the_entropy_advantage_by_hand(make_batch):
    batch = make_batch([3], entropy_BT=row(1.0, 1.0, 9.0))
    assert EntropyAdvantage()(row(1.0, -0.2, 2.0), torch.zeros(1), batch)[0].tolist() == pytest.approx([1.4, 0.0, 4.0])
