"""KL estimators and entropy terms: values, gradients, and the laws they should follow."""

import math

import pytest
import torch

from trainer_bridge.batch import State
from trainer_bridge.components.regularizers import Entropy, Epo, Kl, kl_estimate


def row(*values):
    return torch.tensor([values], dtype=torch.float64)


@pytest.mark.parametrize(
    ("estimator", "expected"),
    [("k1", [0.5, 0, -0.3]), ("abs", [0.5, 0, 0.3]), ("k2", [0.125, 0, 0.045]), ("k3", [0.106531, 0, 0.049859])],
)
def test_kl_estimates(estimator, expected):
    zero, reference = row(0.0, 0, 0), row(-0.5, 0, 0.3)
    assert kl_estimate(zero, reference, estimator)[0].tolist() == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("estimator", ["k1+", "k3+"])
def test_straight_through_estimates_have_k2s_gradient(estimator):
    lp, reference = row(-1.0, -2.0).requires_grad_(), row(-1.4, -1.1)
    value = kl_estimate(lp, reference, estimator)
    assert torch.allclose(value, kl_estimate(lp, reference, estimator[:-1]))
    (ours,) = torch.autograd.grad(value.sum(), lp)
    (expected,) = torch.autograd.grad(kl_estimate(lp, reference, "k2").sum(), lp)
    assert torch.allclose(ours, expected)


def test_k2_has_the_kls_own_gradient_in_expectation():
    """For a softmax policy sampled from itself: E[grad k2] = grad KL, whereas E[grad k1] = 0."""
    logits = torch.tensor([0.3, -0.2, 0.9], dtype=torch.float64, requires_grad=True)
    reference = torch.tensor([0.1, 0.4, -0.5], dtype=torch.float64).log_softmax(-1)
    lp = logits.log_softmax(-1)
    (true,) = torch.autograd.grad((lp.exp() * (lp - reference)).sum(), logits, retain_graph=True)
    probabilities = lp.exp().detach()
    for estimator, expected in (("k2", true), ("k3+", true), ("k1", torch.zeros_like(true))):
        (found,) = torch.autograd.grad(
            (probabilities * kl_estimate(lp, reference, estimator)).sum(), logits, retain_graph=True
        )
        assert torch.allclose(found, expected, atol=1e-12)


def test_coefficients_come_from_the_controller_when_it_has_set_one(make_batch):
    batch = make_batch([2], reference_logprobs_BT=row(-1.0, -1.0))
    lp, entropy = row(-1.5, -1.0), row(0.7, 0.2)
    base = Kl(beta=0.1)(lp, entropy, batch, State())
    assert Kl(beta=0.1)(lp, entropy, batch, State(coefficients={"kl": 2.0}))[0, 0] == 2 * base[0, 0]
    assert Entropy(0.5)(lp, entropy, batch, State())[0].tolist() == [-0.35, -0.1]
    assert Entropy(0.5)(lp, entropy, batch, State(coefficients={"entropy": 0.0}))[0].abs().sum() == 0


def test_epo_keeps_entropy_near_the_past_and_the_official_variant_has_no_such_gradient(make_batch):
    entropy = row(0.3, 0.4, 0.5, 0.6, 0.9).requires_grad_()
    penalty = Epo(total_steps=100).penalty(entropy, 0.5)
    assert penalty[0].tolist() == pytest.approx([0.1, 0, 0, 0, 0.3])
    assert penalty.mean().item() == pytest.approx(0.08)
    schedule = [Epo(total_steps=100).schedule(step) for step in (0, 25, 50, 100)]
    assert schedule == pytest.approx([2, 1.606531, 1.367879, 1.135335], abs=1e-6)
    batch, state = make_batch([5]), State(memory={"entropy_history_mean": 0.5})
    (paper,) = torch.autograd.grad(Epo(total_steps=100)(entropy, entropy, batch, state).sum(), entropy)
    (code,) = torch.autograd.grad(
        Epo(total_steps=100, variant="official_code")(entropy, entropy, batch, state).sum(), entropy
    )
    assert torch.allclose(code, torch.full_like(code, -0.001))
    assert not torch.allclose(paper, code)
    first = Epo(total_steps=100)(entropy, entropy, batch, State())
    assert torch.allclose(first, -0.001 * entropy)


def test_the_entropy_law_of_a_softmax_bandit():
    """dH is -eta Cov(log pi, A) under the natural gradient and -eta Cov(log pi, pi A) under the plain one."""
    logits = torch.tensor([1.0, 0.2, -0.5], dtype=torch.float64)
    pi = logits.softmax(-1)
    advantage = torch.tensor([1.0, 0, 0], dtype=torch.float64) - pi[0]
    eta = 1e-3

    def entropy(z):
        return -(z.softmax(-1) * z.log_softmax(-1)).sum()

    def cov(x, y):
        return ((pi * x * y).sum() - (pi * x).sum() * (pi * y).sum()).item()

    natural = ((entropy(logits + eta * advantage) - entropy(logits)) / eta).item()
    plain = ((entropy(logits + eta * pi * advantage) - entropy(logits)) / eta).item()
    assert natural == pytest.approx(-0.248265, abs=2e-6)
    assert -cov(pi.log(), advantage) == pytest.approx(-0.248169, abs=1e-6)
    assert plain == pytest.approx(-0.087838, abs=2e-6)
    assert -cov(pi.log(), pi * advantage) == pytest.approx(-0.087823, abs=1e-6)
    assert math.isclose(entropy(logits).item(), 0.929348, abs_tol=1e-6)
