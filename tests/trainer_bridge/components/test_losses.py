"""Per-token losses: worked numbers for every reduction, closed-form gradients, clipping."""

import pytest
import torch

from trainer_bridge.components.losses import (
    Cispo,
    Clip,
    Counts,
    Dro,
    Gmpo,
    Gpg,
    Gspo,
    Sapo,
    SeqMeanTokenMean,
    SeqMeanTokenSum,
    SequenceClip,
    TokenMean,
    TokenSum,
    UnclippedRatio,
    Vespo,
)

ADVANTAGES = torch.tensor([0.625, -0.375, 0.125, -0.375], dtype=torch.float64)
REDUCTIONS = [TokenMean(), TokenSum(), SeqMeanTokenSum(horizon=1), SeqMeanTokenSum(horizon=4), SeqMeanTokenMean()]


def run(surrogate, log_ratio, mask, advantages=ADVANTAGES):
    lp = (log_ratio - 1.3).requires_grad_()
    old = torch.full_like(log_ratio, -1.3)
    terms = surrogate(lp, old, advantages[:, None] * mask, mask)
    return lp, terms


@pytest.mark.parametrize(
    ("surrogate", "expected"),
    [
        (Clip(), [0.1375, 1.375, 0.34375, 0.085938, 0.059635]),
        (Clip(delta=3.0), [0.1, 1.0, 0.25, 0.0625, 0.036198]),
        (Clip(epsilon_high=0.28, delta=10.0), [0.131875, 1.31875, 0.329688, 0.082422, 0.052865]),
        (UnclippedRatio(), [0.105, 1.05, 0.2625, 0.065625, 0.023958]),
    ],
)
def test_the_table_of_losses_by_reduction(surrogate, expected, f1, f1_log_ratio):
    _, terms = run(surrogate, f1_log_ratio, f1.mask_BT)
    counts = Counts.of(f1.mask_BT)
    losses = [(terms.loss_BT * reduction(f1.mask_BT, counts)).sum().item() for reduction in REDUCTIONS]
    assert losses == pytest.approx(expected, abs=1e-6)


def test_clipped_tokens_have_no_gradient_and_the_others_minus_a_rho(f1, f1_log_ratio):
    lp, terms = run(Clip(), f1_log_ratio, f1.mask_BT)
    (gradient,) = torch.autograd.grad(terms.loss_BT[f1.mask_BT].sum(), lp)
    ratio, advantages = f1_log_ratio.exp(), ADVANTAGES[:, None].expand(4, 4)
    clipped = ((ratio > 1.2) & (advantages > 0)) | ((ratio < 0.8) & (advantages < 0))
    expected = torch.where(clipped | ~f1.mask_BT, torch.zeros_like(ratio), -advantages * ratio)
    assert torch.allclose(gradient, expected)
    assert torch.equal(terms.clipped_high_BT, clipped & f1.mask_BT & (advantages > 0))
    assert torch.equal(terms.clipped_low_BT, clipped & f1.mask_BT & (advantages < 0))


@pytest.mark.parametrize(
    ("surrogate", "rows", "mean"),
    [
        (Gspo(), [-0.625250, 0.476184, -0.125050, 0.374888], 0.025193),
        (Gspo(0.2, 0.28), [-0.640434, 0.476184, -0.134202, 0.3], 0.000387),
    ],
)
def test_gspo_values_and_gradient(surrogate, rows, mean, f1, f1_log_ratio):
    lp, terms = run(surrogate, f1_log_ratio, f1.mask_BT)
    row_means = (terms.loss_BT * f1.mask_BT).sum(-1) / f1.length_B
    assert row_means.tolist() == pytest.approx(rows, abs=1e-6)
    loss = (terms.loss_BT * SeqMeanTokenMean()(f1.mask_BT, Counts.of(f1.mask_BT))).sum()
    assert loss.item() == pytest.approx(mean, abs=1e-6)
    (gradient,) = torch.autograd.grad(loss, lp)
    ratio = (f1_log_ratio * f1.mask_BT).sum(-1).div(f1.length_B).exp()
    assert ratio.tolist() == pytest.approx([1.024695, 1.269823, 1.073615, 0.75], abs=1e-6)
    free = torch.maximum(
        -ADVANTAGES * ratio, -ADVANTAGES * ratio.clamp(1 - surrogate.epsilon, 1 + surrogate.epsilon_high)
    )
    is_free = free == -ADVANTAGES * ratio
    expected = torch.where(is_free, -ADVANTAGES * ratio / f1.length_B / 4, torch.zeros(4, dtype=torch.float64))
    assert torch.allclose(gradient, expected[:, None] * f1.mask_BT)


def test_gmpo_ratio_and_loss(f1, f1_log_ratio):
    _, terms = run(Gmpo(), f1_log_ratio, f1.mask_BT)
    ratios = (terms.loss_BT / -ADVANTAGES[:, None])[:, 0]
    assert ratios.tolist() == pytest.approx([1.021899, 1.366380, 1.073615, 0.75], abs=1e-6)
    loss = (terms.loss_BT * SeqMeanTokenMean()(f1.mask_BT, Counts.of(f1.mask_BT))).sum()
    assert loss.item() == pytest.approx(0.005188, abs=1e-6)


def test_cispo_clips_the_weight_and_keeps_every_gradient(f1, f1_log_ratio):
    lp, terms = run(Cispo(epsilon_high=1.2), f1_log_ratio, f1.mask_BT)
    (gradient,) = torch.autograd.grad(terms.loss_BT[f1.mask_BT].sum(), lp)
    weight = f1_log_ratio.exp().clamp(max=1.2)  # the bound itself, as in TRL
    assert torch.allclose(gradient, -weight * ADVANTAGES[:, None] * f1.mask_BT)
    praised = (ADVANTAGES[:, None] > 0) & f1.mask_BT
    assert terms.clipped_high_BT.sum() == (f1_log_ratio.exp()[praised] > 1.2).sum() > 0, "as TRL counts them"


def test_sapo_is_a_sigmoid_gate_with_a_temperature_by_sign(f1, f1_log_ratio):
    _, terms = run(Sapo(), f1_log_ratio, f1.mask_BT)
    for row, tau in ((0, 1.0), (1, 1.05)):
        expected = -ADVANTAGES[row] * torch.sigmoid(tau * (f1_log_ratio[row].exp() - 1)) * 4 / tau
        assert torch.allclose(terms.loss_BT[row][f1.mask_BT[row]], expected[f1.mask_BT[row]])


def test_vespo_weighs_a_sequence_by_what_its_whole_probability_became():
    moved = torch.tensor([[0.3, -0.1], [0.3, -0.1]])
    mask, advantages = torch.ones(2, 2, dtype=torch.bool), torch.tensor([[1.0], [-1.0]]).expand(2, 2)
    terms = Vespo()(moved - 1, torch.full((2, 2), -1.0), advantages, mask)
    w = torch.tensor(0.2).exp()
    for row, (k, steepness) in enumerate(((2, 3), (3, 2))):
        phi = w**k * torch.exp(steepness * (1 - w))
        assert torch.allclose(terms.loss_BT[row], -phi * advantages[row] * (moved[row] - 1))


@pytest.mark.parametrize("moved", [-1e4, 1e4])
def test_vespo_stays_finite_where_a_sequence_became_impossible_or_certain(moved):
    lp = torch.tensor([[moved, moved]]).requires_grad_()
    terms = Vespo()(lp, torch.zeros(1, 2), torch.ones(1, 2), torch.ones(1, 2, dtype=torch.bool))
    terms.loss_BT.sum().backward()
    assert lp.grad.abs().max() < 1e-6, "what is far off the policy teaches nothing"


def test_dro_and_gpg_by_hand():
    lp, old, advantage = torch.tensor([[-1.0]]), torch.tensor([[-1.5]]), torch.tensor([[2.0]])
    mask = torch.ones(1, 1, dtype=torch.bool)
    assert Dro(beta=0.4)(lp, old, advantage, mask).loss_BT.item() == pytest.approx(-(-2.0 - 0.2 * 0.25))
    assert Gpg()(lp, old, advantage, mask).loss_BT.item() == pytest.approx(2.0)


@pytest.mark.parametrize("surrogate", [Clip(), Gspo(), Gmpo(), Sapo(), Vespo(), UnclippedRatio()], ids=lambda s: s.name)
def test_at_ratio_one_every_ratio_loss_has_the_policy_gradient(surrogate, f1):
    lp, terms = run(surrogate, torch.zeros(4, 4, dtype=torch.float64), f1.mask_BT)
    weights = SeqMeanTokenMean()(f1.mask_BT, Counts.of(f1.mask_BT))
    (gradient,) = torch.autograd.grad((terms.loss_BT * weights).sum(), lp)
    assert torch.allclose(gradient, -ADVANTAGES[:, None] * weights)
    assert not (terms.clipped_low_BT | terms.clipped_high_BT).any()


@pytest.mark.parametrize(
    "surrogate", [Clip(delta=3.0), Gspo(), Gmpo(), Cispo(), Sapo(), Vespo(), Dro(), Gpg()], ids=lambda s: s.name
)
def test_what_lies_on_padding_does_not_matter(surrogate, f1, f1_log_ratio):
    _, clean = run(surrogate, f1_log_ratio, f1.mask_BT)
    _, dirty = run(surrogate, torch.where(f1.mask_BT, f1_log_ratio, torch.full_like(f1_log_ratio, 5.0)), f1.mask_BT)
    assert torch.allclose(clean.loss_BT[f1.mask_BT], dirty.loss_BT[f1.mask_BT])


@pytest.mark.parametrize("reduction", REDUCTIONS, ids=str)
def test_reductions_do_not_depend_on_how_the_batch_is_cut(reduction, f1):
    counts = Counts.of(f1.mask_BT)
    whole = reduction(f1.mask_BT, counts)
    cut = torch.cat([reduction(f1.mask_BT[rows], counts) for rows in (slice(0, 1), slice(1, 3), slice(3, 4))])
    assert torch.equal(whole, cut)


def test_empty_rows_are_left_out_of_the_row_mean(f1):
    mask = f1.mask_BT.clone()
    mask[1] = False
    assert (Counts.of(mask).trained, Counts.of(mask).all) == (3, 4)
    assert SeqMeanTokenMean(rows="all")(mask, Counts.of(mask)).sum().item() == pytest.approx(0.75)
    assert SeqMeanTokenMean()(mask, Counts.of(mask)).sum().item() == pytest.approx(1.0)
    assert TokenMean()(mask, Counts.of(mask)).sum().item() == pytest.approx(1.0)


def test_rejection_samplings_gradient_is_that_of_cross_entropy(f1):
    """Policy gradient with A = 1 on kept rows, no baseline, ratio 1, is cross-entropy on them."""
    torch.manual_seed(0)
    logits = torch.randn(4, 4, 5, dtype=torch.float64, requires_grad=True)
    targets = torch.randint(0, 5, (4, 4))
    kept = torch.tensor([True, False, True, False])
    mask = f1.mask_BT & kept[:, None]
    lp = logits.log_softmax(-1).gather(-1, targets[..., None])[..., 0]
    terms = Gpg()(lp, lp.detach(), torch.ones(4, 4, dtype=torch.float64), mask)
    loss = (terms.loss_BT * TokenMean()(mask, Counts.of(mask))).sum()
    (ours,) = torch.autograd.grad(loss, logits, retain_graph=True)
    expected = torch.nn.functional.cross_entropy(logits[mask], targets[mask])
    (theirs,) = torch.autograd.grad(expected, logits)
    assert torch.allclose(ours, theirs)


def test_the_ratio_of_a_whole_sequence_counts_once_a_row(f1, f1_log_ratio):
    """RLOO: exp of the sum, clipped; every token of a row carries the row's loss, and the gradient is that of the sum."""
    part = SequenceClip(0.2, 0.28)
    lp, terms = run(part, f1_log_ratio, f1.mask_BT)
    ratio = (f1_log_ratio * f1.mask_BT).sum(-1).exp()
    plain, clipped = -ADVANTAGES * ratio, -ADVANTAGES * ratio.clamp(0.8, 1.28)
    loss = (terms.loss_BT * SeqMeanTokenMean()(f1.mask_BT, Counts.of(f1.mask_BT))).sum()
    assert loss.item() == pytest.approx(torch.maximum(plain, clipped).mean().item(), abs=1e-6)
    (gradient,) = torch.autograd.grad(loss, lp)
    expected = torch.where(clipped > plain, torch.zeros_like(plain), plain) / 4
    assert torch.allclose(gradient, expected[:, None] * f1.mask_BT)


@pytest.mark.parametrize("moved", [-1e4, 1e4])
def test_a_sequence_that_became_impossible_or_certain_leaves_numbers_finite(moved):
    lp = torch.tensor([[-1.0, -1.0], [-1.0, -1.0]], requires_grad=True)
    mask = torch.tensor([[True, True], [True, False]])
    advantages = torch.tensor([[1.0, 1.0], [-1.0, -1.0]])
    terms = SequenceClip()(lp, lp.detach() - moved, advantages, mask)
    terms.loss_BT.sum().backward()
    assert terms.loss_BT.isfinite().all()
    assert lp.grad.isfinite().all()
