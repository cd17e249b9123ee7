"""TRL's own names mean what they mean in TRL, or are refused with what to say instead."""

import pytest

from tests.making.recipes import facts
from trainer_bridge.errors import RecipeError, SettingsError
from trainer_bridge.recipe import load_recipe
from trainer_bridge.settings import TrainSettings
from trainer_bridge.trl_names import RECIPE_NAMES, translate

BASE = {"targets": ("al/a",), "output": "run"}


def made(recipe="dapo", **values):
    """The recipe of a run that was given these settings."""
    settings = TrainSettings.make({**BASE, **values})
    return load_recipe(recipe, settings.recipe_overrides).for_run(facts(length=32))


def test_settings_of_a_run_are_renamed():
    settings = TrainSettings.make({"targets": ("al/a",), "output_dir": "here", "max_steps": 7, "bf16": True})
    assert (str(settings.output), settings.steps, settings.dtype) == ("here", 7, "bfloat16")


def test_inherited_settings_mean_what_they_mean_there():
    made_of = TrainSettings.make({**BASE, "use_cpu": True, "ddp_timeout": 60, "activation_checkpointing": True})
    assert (made_of.device, made_of.rank_timeout, made_of.gradient_checkpointing) == ("cpu", 60.0, True)
    assert TrainSettings.make({**BASE, "use_cpu": False}).device == "auto"


@pytest.mark.parametrize(("said", "trackers"), [("none", ()), ("wandb", ("wandb",)), (["wandb"], ("wandb",))])
def test_a_tracker_alone_needs_no_list(said, trackers):
    assert TrainSettings.make({**BASE, "report_to": said}).report_to == trackers


def test_a_run_goes_on_from_its_newest_checkpoint_and_from_no_folder():
    assert TrainSettings.make({**BASE, "resume_from_checkpoint": True}).resume
    with pytest.raises(SettingsError, match="say true, and output"):
        TrainSettings.make({**BASE, "resume_from_checkpoint": "run/checkpoint-5"})


@pytest.mark.parametrize(
    ("said", "layers"),
    [("all-linear", ()), (["all-linear"], ()), ("q_proj", ("q_proj",)), (["q_proj", "v_proj"], ("q_proj", "v_proj"))],
)
def test_layers_of_adapters_are_named_as_in_trl(said, layers):
    assert TrainSettings.make({**BASE, "lora_r": 2, "lora_target_modules": said}).lora_target_modules == layers


def test_a_setting_said_under_both_names_is_refused():
    with pytest.raises(SettingsError, match="max_steps and steps are the same setting"):
        TrainSettings.make({**BASE, "max_steps": 7, "steps": 8})


@pytest.mark.parametrize(
    ("loss_type", "surrogate", "reduction"),
    [
        ("grpo", "clip", "seq_mean_token_mean"),
        ("dapo", "clip", "token_mean"),
        ("bnpo", "clip", "token_mean"),
        ("dr_grpo", "clip", "seq_mean_token_sum"),
        ("cispo", "cispo", "token_mean"),
        ("sapo", "sapo", "seq_mean_token_mean"),
    ],
)
def test_loss_types(loss_type, surrogate, reduction):
    recipe = made(loss_type=loss_type)
    assert (recipe.surrogate.name, recipe.reduction.name) == (surrogate, reduction)


def test_dr_grpo_divides_by_the_longest_completion_that_may_be_sampled():
    assert made(loss_type="dr_grpo").reduction.horizon == 32


@pytest.mark.parametrize("loss_type", ["ppo", "nonsense"])
def test_unknown_loss_types_are_refused(loss_type):
    with pytest.raises(SettingsError, match="loss_type"):
        made(loss_type=loss_type)


def test_luspo_sums_over_tokens_and_another_loss_divides_again():
    assert made("luspo", loss_type="dr_grpo", importance_sampling_level="token").reduction.horizon == 32
    with pytest.raises(RecipeError, match="one ratio a sequence"):
        made("luspo", loss_type="dr_grpo")
    assert made("luspo", loss_type="luspo").reduction == made("luspo").reduction
    assert made(loss_type="luspo").surrogate.name == "clip", "TRL's ratios are by token unless it is told otherwise"
    assert made("gspo", loss_type="luspo").surrogate == made("luspo").surrogate


def test_vespos_weights_have_trls_names_and_take_no_correction_of_the_sampler():
    found = made(loss_type="vespo", vespo_k_pos=1.5, vespo_lambda_neg=0.5).surrogate
    assert (found.name, found.k_pos, found.lambda_pos, found.k_neg, found.lambda_neg) == ("vespo", 1.5, 3.0, 3.0, 0.5)
    with pytest.raises(RecipeError, match="weight of the sequence"):
        made("vespo", vllm_importance_sampling_mode="token_truncate")
    with pytest.raises(SettingsError, match="sequence"):
        made("vespo", importance_sampling_level="sequence")
    with pytest.raises(SettingsError, match="epsilon is a bound"):
        made("vespo", epsilon=0.1)


def test_beta_is_the_kl_term_in_trls_form_and_nought_takes_it_away():
    (kl,) = made(beta=0.04).regularizers
    assert (kl.beta, kl.estimator, kl.unbiased) == (0.04, "k3", True)
    (plain,) = made(beta=0.04, use_bias_correction_kl=False).regularizers
    assert not plain.unbiased
    assert made("grpo", beta=0).regularizers == ()


def test_clip_bounds():
    one = made("grpo", epsilon=0.1).surrogate
    assert (one.epsilon, one.epsilon_high) == (0.1, 0.1)
    two = made("grpo", epsilon_high=0.3, epsilon=0.1, delta=4.0).surrogate
    assert (two.epsilon, two.epsilon_high, two.delta) == (0.1, 0.3, 4.0)
    assert made(loss_type="cispo", epsilon_high=1.05).surrogate.epsilon_high == 1.05
    with pytest.raises(SettingsError, match="epsilon is a bound"):
        made("sapo", epsilon=0.1)
    with pytest.raises(RecipeError, match="greater than 0"):
        made(epsilon=-1.0)


@pytest.mark.parametrize(
    ("value", "scale"), [(True, "group"), ("group", "group"), ("batch", "batch"), (False, "none"), ("none", "none")]
)
def test_scale_rewards(value, scale):
    assert made(scale_rewards=value).advantage.scale == scale


def test_sequence_level_ratios_keep_trls_bounds_and_need_a_mean_of_rows():
    recipe = made(importance_sampling_level="sequence", loss_type="grpo")
    assert (recipe.surrogate.name, recipe.surrogate.epsilon_high) == ("gspo", 0.28)
    assert made("grpo", importance_sampling_level="sequence").surrogate.epsilon_high == 0.2
    with pytest.raises(RecipeError, match="loss_type grpo"):
        made(importance_sampling_level="sequence")


@pytest.mark.parametrize("name", ["cispo", "sapo"])
def test_token_ratios_are_those_of_these_losses_already(name):
    """It used to put the clipped loss in their place."""
    recipe = made(loss_type=name, importance_sampling_level="token")
    assert recipe.surrogate == made(loss_type=name).surrogate
    assert made(name, importance_sampling_level="token").surrogate.name == name
    with pytest.raises(SettingsError, match=f"'sequence' with surrogate {name} has no counterpart"):
        made(loss_type=name, importance_sampling_level="sequence")


def test_the_level_that_a_recipe_has_changes_nothing_of_it():
    assert made("gspo", importance_sampling_level="sequence").surrogate == made("gspo").surrogate
    assert made("dapo", importance_sampling_level="token", delta=4.0).surrogate.delta == 4.0
    assert made("cispo", importance_sampling_level="token").surrogate == made("cispo").surrogate
    assert made("gspo", importance_sampling_level="token", loss_type="dapo").surrogate.name == "clip"


def test_what_sequence_ratios_have_no_counterpart_for_is_refused():
    sequences = {"importance_sampling_level": "sequence", "loss_type": "grpo"}
    with pytest.raises(SettingsError, match="reaches all tokens of a row"):
        made(**sequences, top_entropy_quantile=0.2)
    for mode in ("token_truncate", "token_mask"):
        with pytest.raises(SettingsError, match=f"{mode}.* with sequence ratios"):
            made(**sequences, vllm_importance_sampling_mode=mode)
    assert made(**sequences, vllm_importance_sampling_mode="sequence_truncate").token_weights
    with pytest.raises(RecipeError, match="delta"):
        made(**sequences, delta=4.0)


def test_the_correction_for_an_engine_has_trls_modes_and_defaults():
    def found(**names):
        (part,) = made(**names).token_weights
        return part.level, part.mode, part.cap, part.floor

    assert found(vllm_importance_sampling_correction=True) == ("sequence_sum", "mask", 3.0, 0.0)
    assert found(vllm_importance_sampling_clip_max=2.0) == ("sequence_sum", "mask", 2.0, 0.0)
    by_token = {"vllm_importance_sampling_mode": "token_truncate", "vllm_importance_sampling_clip_min": 0.5}
    assert found(**by_token) == ("token", "truncate", 3.0, 0.5)
    assert (
        made(vllm_importance_sampling_correction=False, vllm_importance_sampling_mode="token_mask").token_weights == ()
    )
    with pytest.raises(SettingsError, match="token_truncate, token_mask, sequence_truncate, sequence_mask"):
        made(vllm_importance_sampling_mode="tokens")
    with pytest.raises(RecipeError, match="lies above cap 3"):
        made(vllm_importance_sampling_clip_min=4.0)


def test_several_rewards_normalised_first_is_gdpo():
    recipe = made(multi_objective_aggregation="normalize_then_sum")
    assert (recipe.aggregator.name, recipe.advantage.name) == ("gdpo", "batch_norm")


@pytest.mark.parametrize("scale", ["group", "batch", "none", True, False])
def test_scale_rewards_changes_nothing_where_rewards_are_normalised_first(scale):
    """A configuration of TRL's has a value for it, which is not read there; it was refused here."""
    by_reward = made(multi_objective_aggregation="normalize_then_sum")
    assert made(multi_objective_aggregation="normalize_then_sum", scale_rewards=scale) == by_reward
    assert made("gdpo", scale_rewards=scale) == made("gdpo")
    summed = made("gdpo", multi_objective_aggregation="sum_then_normalize", scale_rewards="batch")
    assert summed.advantage.scale == "batch"


def test_an_unknown_scale_of_rewards_is_refused():
    with pytest.raises(
        SettingsError, match="scale_rewards 'std' has no counterpart here; there are group, batch, none"
    ):
        made(scale_rewards="std")


def test_masks_and_bonuses():
    recipe = made(mask_truncated_completions=True, top_entropy_quantile=0.2, off_policy_mask_threshold=0.5)
    assert [part.name for part in recipe.filters] == ["zero_variance", "overlong"]
    assert [(part.name) for part in recipe.token_weights] == ["high_entropy", "off_policy_mask"]
    (bonus,) = made(entropy_coef=0.01).regularizers
    assert (bonus.coefficient, bonus.mean) == (0.01, "tokens")


def test_a_bonus_on_the_most_uncertain_tokens_alone_is_refused():
    with pytest.raises(SettingsError, match="entropy_coef with top_entropy_quantile"):
        made(entropy_coef=0.01, top_entropy_quantile=0.2)
    assert made(entropy_coef=0.01, top_entropy_quantile=1).regularizers


def test_masked_rows_stay_in_the_mean_over_rows_and_no_other_mean_has_rows():
    assert made(loss_type="grpo", mask_truncated_completions=True).reduction.rows == "all"
    assert made(loss_type="grpo", mask_truncated_completions=False).reduction.rows == "trained"
    assert not hasattr(made(mask_truncated_completions=True).reduction, "rows")


def test_under_sequence_ratios_the_kl_term_is_multiplied_by_the_sequences_ratio():
    sequence = {"importance_sampling_level": "sequence", "loss_type": "grpo"}
    (kl,) = made(**sequence, beta=0.1).regularizers
    assert kl.level == "sequence"
    (kl,) = made(beta=0.1).regularizers
    assert kl.level == "token"


def test_names_are_applied_in_one_order_however_they_were_given():
    one, two = ({"loss_type": "cispo", "epsilon_high": 5.0}, {"epsilon_high": 5.0, "loss_type": "cispo"})
    assert made(**one) == made(**two)
    assert list(translate(two)[1]) == ["loss_type", "epsilon_high"]


def test_every_name_reaches_the_recipe():
    for name in RECIPE_NAMES:
        assert translate({name: 1}) == ({}, {name: 1})
