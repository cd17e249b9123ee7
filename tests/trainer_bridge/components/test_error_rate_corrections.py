"""Rewards corrected for a verifier's error rates: worked numbers, refusals, and what happens to the gradient."""

from dataclasses import replace

import pytest
import torch

from tests.making.known_audits import known_audit
from tests.making.recipes import facts
from trainer_bridge.components.error_rate_corrections import BackwardCorrection, ForwardCorrection, audited_rates
from trainer_bridge.components.registry import make_component
from trainer_bridge.errors import RecipeError
from trainer_bridge.recipe import build_recipe, load_recipe
from trainer_bridge.recipe_text import read_recipe

NAN = float("nan")


def vector(*values):
    return torch.tensor(values, dtype=torch.float64)


def test_the_mean_over_verdicts_is_1_for_a_right_answer_and_0_for_a_wrong_one(make_batch):
    fpr, fnr = 0.1, 0.3
    rejected, accepted, unjudged = BackwardCorrection(fpr=fpr, fnr=fnr)(vector(0, 1, NAN), make_batch([1, 1, 1]))
    assert rejected.item() == pytest.approx(-1 / 6)
    assert accepted.item() == pytest.approx(1.5)
    assert unjudged.isnan()
    assert (fnr * rejected + (1 - fnr) * accepted).item() == pytest.approx(1.0)
    assert ((1 - fpr) * rejected + fpr * accepted).item() == pytest.approx(0.0, abs=1e-12)


def test_forward_weights_are_0_for_a_right_answer_and_the_same_for_every_wrong_one(make_batch):
    fpr, fnr = 0.1, 0.3
    rejected, accepted = ForwardCorrection(fnr=fnr)(vector(0, 1), make_batch([1, 1]))
    assert (rejected.item(), accepted.item()) == pytest.approx((-0.7, 0.3))
    assert (fnr * rejected + (1 - fnr) * accepted).item() == pytest.approx(0.0, abs=1e-12)
    assert ((1 - fpr) * rejected + fpr * accepted).item() == pytest.approx(-(1 - fpr - fnr))


def test_each_environment_has_its_own_rates(make_batch):
    batch = replace(make_batch([1, 1]), environment_B=torch.tensor([1, 0]))
    found = BackwardCorrection(fpr=(0.0, 0.2), fnr=(0.0, 0.3))(vector(1, 1), batch)
    assert found.tolist() == pytest.approx([0.8 / 0.5, 1.0])


@pytest.mark.parametrize(
    ("known", "said"),
    [
        (None, "has no audit"),
        (known_audit(), "no independent evidence"),
        (known_audit(0, 0, 3, 50), "no independent evidence"),
        (known_audit(30, 50, 25, 50), "no better than chance .* at least 1"),
        (known_audit(2, 5, 1, 5), "too few cases .* less than half"),
    ],
)
def test_what_an_audit_cannot_correct_is_refused_with_the_reason(known, said):
    given = replace(facts(), audits={"al/a": known} if known else {})
    with pytest.raises(RecipeError, match=said):
        audited_rates(given, "backward_correction")


def test_rates_are_the_point_estimates_of_independent_evidence():
    given = replace(facts(), audits={"al/a": known_audit(4, 100, 20, 100)})
    assert audited_rates(given, "x") == [(0.04, 0.2)]
    filled = BackwardCorrection(rates="audit").for_run(given)
    filled.check_run(given)
    assert (filled.fpr, filled.fnr) == ((0.04,), (0.2,))
    assert ForwardCorrection(rates="audit").for_run(given).fnr == (0.2,)


def test_rates_that_nobody_gave_are_not_taken_for_0():
    for made in (BackwardCorrection(), BackwardCorrection(fpr=0.1), ForwardCorrection()):
        with pytest.raises(RecipeError, match="give it, or take it from the audit"):
            made.check_run(facts())
    with pytest.raises(RecipeError, match="2 rates for 1 target"):
        BackwardCorrection(fpr=(0.1, 0.2), fnr=0.1).check_run(facts())
    with pytest.raises(RecipeError, match="below 1"):
        make_component("shapers", "backward_correction", {"fpr": 0.6, "fnr": [0.1, 0.5]})


def test_only_one_verdict_of_0_or_1_is_corrected(make_batch):
    correction = BackwardCorrection(fpr=0.1, fnr=0.1)
    correction.check_run(facts("correct"))
    with pytest.raises(RecipeError, match="several scores"):
        correction.check_run(facts("correct", "style"))
    with pytest.raises(RecipeError, match="another weight"):
        correction.check_run(facts("correct", weight=2.0))
    with pytest.raises(RecipeError, match=r"a verifier gave 0\.5"):
        correction(vector(0, 0.5), make_batch([1, 1]))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('shapers = [{ name = "backward_correction", fpr = 0.1, fnr = 0.1 }]', "does nothing under advantage group"),
        (
            'advantage = "token_group"\nshapers = [{ name = "backward_correction", fpr = 0.1, fnr = 0.1 }]',
            "does nothing",
        ),
        ('advantage = "rloo"\nshapers = [{ name = "forward_correction", fnr = 0.1 }]', "takes the shift out again"),
    ],
)
def test_a_correction_that_the_advantage_cancels_is_refused(text, said):
    with pytest.raises(RecipeError, match=said):
        build_recipe(read_recipe(text, "test"))


def test_the_bundled_recipe_needs_an_audit_and_uses_it(make_batch):
    with pytest.raises(RecipeError, match="has no audit"):
        load_recipe("corrected").for_run(facts())
    recipe = load_recipe("corrected").for_run(replace(facts(), audits={"al/a": known_audit(10, 100, 30, 100)}))
    advantages, _ = recipe.row_advantages(make_batch([1, 1], rewards={"score": [1.0, 0.0]}))
    assert advantages.tolist() == pytest.approx([0.5 / 0.6, -0.5 / 0.6])


# What a correction does to the gradient

RATES = ((0.02, 0.05), (0.30, 0.40))
"""Two verifiers: a good one, and one that says little."""
ANSWERS = 3
"""Answers of the policy in each environment; the first is right."""


def gradient(correct, right_one, seed=0, samples=400_000):
    """Mean over samples of u' times the score function of a softmax policy, for both environments, float64 [2, 3].

    ``right_one``: rewards without any error of the verifier.
    """
    generator = torch.Generator().manual_seed(seed)
    probabilities = torch.softmax(vector(0.2, 0.0, -0.3), 0)
    environments_b = torch.arange(samples) % 2
    answers_b = torch.multinomial(probabilities, samples, replacement=True, generator=generator)
    truths_b = (answers_b == 0).double()
    draws_b = torch.rand(samples, generator=generator, dtype=torch.float64)
    fprs_b, fnrs_b = (
        vector(*(fpr for fpr, _ in RATES))[environments_b],
        vector(*(fnr for _, fnr in RATES))[environments_b],
    )
    verdicts_b = torch.where(truths_b > 0, draws_b >= fnrs_b, draws_b < fprs_b).double()
    utilitys_b = truths_b if right_one else verdicts_b
    utilitys_b = correct(utilitys_b, environments_b)
    scores_ba = torch.nn.functional.one_hot(answers_b, ANSWERS).double() - probabilities
    return torch.stack([(utilitys_b[:, None] * scores_ba)[environments_b == number].mean(0) for number in range(2)])


def exact():
    """The gradient of the chance of a right answer, the same in both environments."""
    probabilities = torch.softmax(vector(0.2, 0.0, -0.3), 0)
    return probabilities[0] * (vector(1.0, 0.0, 0.0) - probabilities)


def as_batch(environments_b, make_batch):
    return replace(make_batch([1]), environment_B=environments_b)


def test_the_backward_corrected_gradient_is_unbiased_and_the_uncorrected_is_not(make_batch):
    fpr, fnr = zip(*RATES, strict=True)
    backward = BackwardCorrection(fpr=fpr, fnr=fnr)
    plain = gradient(lambda utility, _: utility, right_one=False)
    corrected = gradient(lambda utility, rows: backward(utility, as_batch(rows, make_batch)), right_one=False)
    norm = exact().norm()
    error = (corrected - exact()).norm(dim=1) / norm
    assert error.max() < 0.02, "sampling noise of 200,000 samples"
    # Uncorrected, each environment's gradient is shorter by 1 - fpr - fnr: 0.93 and 0.30.
    shares = (plain @ exact()) / norm**2
    assert shares.tolist() == pytest.approx([0.93, 0.30], abs=0.02)


def test_the_forward_corrected_gradient_points_the_right_way_and_is_shorter_by_1_minus_both_rates(make_batch):
    forward = ForwardCorrection(fnr=tuple(fnr for _, fnr in RATES))
    found = gradient(lambda utility, rows: forward(utility, as_batch(rows, make_batch)), right_one=False)
    expected = torch.stack([(1 - fpr - fnr) * exact() for fpr, fnr in RATES])
    assert ((found - expected).norm(dim=1) / exact().norm()).max() < 0.02


def test_a_verifier_without_errors_gives_the_exact_gradient():
    found = gradient(lambda utility, _: utility, right_one=True)
    assert ((found - exact()).norm(dim=1) / exact().norm()).max() < 0.02
