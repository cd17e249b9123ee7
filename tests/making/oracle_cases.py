"""One batch and many methods, computed by two programs: by this trainer in the tests, by TRL in scripts/trl_oracle.py.

Weights come from numpy's generator, whose numbers do not change between releases.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from transformers import LlamaForCausalLM

from trainer_bridge.models.tiny import tiny_model, tiny_tokenizer

PROMPTS = ["Say a.", "Say 12.", "Count to three."]
GROUP = 4
TEMPERATURE = 0.8
MAX_LENGTH = 8
REWARD_NAMES = ("right", "form")
REWARDS = [
    [1.0, 0.25], [0.0, 0.5], [0.5, 0.0], [0.0, 1.0],
    [0.75, 0.5], [0.75, 0.5], [0.75, 0.5], [0.75, 0.5],
    [0.0, 0.25], [1.0, 0.75], [1.0, 0.0], [0.25, 1.0],
]  # fmt: skip
"""A row a completion: two rewards. The second prompt's completions all earn the same."""
LENGTHS = [3, 8, 5, 1, 2, 4, 6, 8, 7, 2, 4, 8]
CUT_OFF = [False, True, False, False, False, False, False, True, False, False, False, True]


@dataclass(frozen=True)
class Samples:
    """``prompts`` with ``group`` completions each, a row a completion.

    ``read``: positions that a tool or an environment wrote, which are not learnt from.
    """

    lengths: tuple[int, ...] = tuple(LENGTHS)
    cut_off: tuple[bool, ...] = tuple(CUT_OFF)
    rewards: tuple[tuple[float | None, ...], ...] = tuple(map(tuple, REWARDS))
    read: dict[int, tuple[int, ...]] = field(default_factory=dict)
    prompts: tuple[str, ...] = tuple(PROMPTS)
    group: int = GROUP

    @property
    def groups(self) -> list[int]:
        """Each row's prompt, by its number."""
        return [row // self.group for row in range(len(self.prompts) * self.group)]

    def written(self, row: int) -> list[bool]:
        """Which tokens of a row the policy wrote."""
        return [place not in self.read.get(row, ()) for place in range(self.lengths[row])]

    def larger(self, per: str) -> float:
        """By how much a mean here is larger than TRL's: over judged rows that wrote something, and not over all."""
        sizes = [sum(self.written(row)) for row in range(len(self.lengths))]
        counted = [size for size, row in zip(sizes, self.rewards, strict=True) if size and row != (None, None)]
        return {"": 1.0, "rows": len(sizes) / len(counted), "tokens": sum(sizes) / sum(counted)}[per]


_TOOLS = {1: (2, 3, 4), 2: (0,), 6: (1, 2), 7: (0, 1, 6), 8: (5, 6), 11: (3,)}
_NULL = (None, None)
SAMPLES = {
    "plain": Samples(),
    "tools": Samples(read=_TOOLS),
    "a row of tools alone": Samples(read={**_TOOLS, 0: (0, 1, 2), 9: (0, 1)}),
    "one token each": Samples(lengths=(1,) * len(LENGTHS)),
    "rows without a verdict": Samples(
        rewards=tuple(_NULL if row in (2, 5, 8, 10) else tuple(given) for row, given in enumerate(REWARDS))
    ),
    "all equal but one group": Samples(
        rewards=tuple((1.0, 0.5) if row < 2 * GROUP else tuple(given) for row, given in enumerate(REWARDS))
    ),
}


@dataclass(frozen=True)
class Case:
    """``recipe`` of this trainer under ``names``, which TRL gets as well.

    ``larger``: what a mean counts here, where rows are left out that count as 0 in TRL (``Samples.larger``).
    """

    recipe: str
    names: dict[str, Any] = field(default_factory=dict)
    weights: tuple[float, float] = (1.0, 0.5)
    samples: str = "plain"
    larger: str = ""
    trainer: str = "grpo"
    """Which of TRL's trainers. ``changes``: parameters of the recipe beside TRL's names."""
    changes: dict[str, Any] = field(default_factory=dict)

    @property
    def batch(self) -> Samples:
        """Its completions and rewards."""
        return SAMPLES[self.samples]

    @property
    def has_engine(self) -> bool:
        """Whether the samples were written by another policy than the old one, as an engine of its own does."""
        return any(name.startswith("vllm_") for name in self.names)


_NO_KL: dict[str, Any] = {"modifiers": []}


def _rloo(beta: float, changes: dict[str, Any], samples: str = "plain", larger: str = "", **names: float) -> Case:
    return Case("rloo", {"beta": beta, **names}, samples=samples, larger=larger, trainer="rloo", changes=changes)


_CLIP = {"epsilon": 0.2, "epsilon_high": 0.28}
_NARROW = {"epsilon": 3e-4, "epsilon_high": 4e-4}
CASES = {
    "grpo": Case("grpo", {"loss_type": "grpo", "beta": 0.0}),
    "grpo_kl": Case("grpo", {"loss_type": "grpo", "beta": 0.04}),
    "grpo_paper_kl": Case("grpo", {"loss_type": "grpo", "beta": 0.04, "use_bias_correction_kl": False}),
    "dapo": Case("dapo", {"loss_type": "dapo", **_CLIP}),
    "bnpo": Case("dapo", {"loss_type": "bnpo", **_CLIP}),
    "dapo_kl": Case("dapo", {"loss_type": "dapo", "beta": 0.1, **_CLIP}),
    "dr_grpo": Case("dr_grpo", {"loss_type": "dr_grpo", "scale_rewards": "none"}),
    "lite_ppo": Case("lite_ppo", {"loss_type": "dapo", "scale_rewards": "batch"}),
    "gspo": Case(
        "gspo", {"loss_type": "grpo", "importance_sampling_level": "sequence", "epsilon": 3e-4, "epsilon_high": 4e-4}
    ),
    "cispo": Case("cispo", {"loss_type": "cispo", "epsilon_high": 5.0}),
    "cispo_bounded": Case("cispo", {"loss_type": "cispo", "epsilon_high": 1.02}),
    "sapo": Case("sapo", {"loss_type": "sapo"}),
    "luspo": Case("luspo", {"loss_type": "luspo", "importance_sampling_level": "sequence", **_NARROW}),
    "luspo_by_token": Case("dapo", {"loss_type": "luspo", **_CLIP}),
    "luspo_kl": Case("luspo", {"loss_type": "luspo", "importance_sampling_level": "sequence", "beta": 0.1, **_NARROW}),
    "vespo": Case("vespo", {"loss_type": "vespo"}),
    "vespo_kl": Case("vespo", {"loss_type": "vespo", "beta": 0.1}),
    "vespo_weights": Case(
        "dapo",
        {
            "loss_type": "vespo",
            "vespo_k_pos": 1.0,
            "vespo_lambda_pos": 2.0,
            "vespo_k_neg": 2.5,
            "vespo_lambda_neg": 0.5,
        },
    ),
    "tools_luspo": Case(
        "luspo", {"loss_type": "luspo", "importance_sampling_level": "sequence", **_NARROW}, samples="tools"
    ),
    "tools_vespo": Case("vespo", {"loss_type": "vespo"}, samples="tools"),
    "dual_clip": Case("dapo", {"loss_type": "dapo", "delta": 1.5, "epsilon": 0.02, "epsilon_high": 0.03}),
    "high_entropy": Case("high_entropy", {"loss_type": "dapo", "top_entropy_quantile": 0.2, **_CLIP}),
    "entropy_bonus": Case("dapo", {"loss_type": "dapo", "entropy_coef": 0.01, **_CLIP}),
    "gdpo": Case("gdpo", {"loss_type": "dapo", "multi_objective_aggregation": "normalize_then_sum", **_CLIP}),
    "overlong": Case("dapo", {"loss_type": "dapo", "mask_truncated_completions": True, **_CLIP}),
    "off_policy_mask": Case("dapo", {"loss_type": "dapo", "off_policy_mask_threshold": 0.001, **_CLIP}),
    "other_weights": Case("dapo", {"loss_type": "dapo", **_CLIP}, (0.25, 3.0)),
    "negative_weight": Case("dapo", {"loss_type": "dapo", **_CLIP}, (1.0, -0.5)),
    "bnpo_batch": Case("dapo", {"loss_type": "bnpo", "scale_rewards": "batch", **_CLIP}),
    "dr_grpo_kl": Case("dr_grpo", {"loss_type": "dr_grpo", "scale_rewards": "none", "beta": 0.04}),
    "sapo_temperatures": Case("sapo", {"loss_type": "sapo", "sapo_temperature_pos": 1.5, "sapo_temperature_neg": 2.0}),
    "cispo_kl": Case("cispo", {"loss_type": "cispo", "epsilon_high": 5.0, "beta": 0.1}),
    "gspo_kl": Case("gspo", {"loss_type": "grpo", "beta": 0.1, "importance_sampling_level": "sequence", **_NARROW}),
    "overlong_by_rows": Case("grpo", {"loss_type": "grpo", "beta": 0.0, "mask_truncated_completions": True}),
    "overlong_dr_grpo": Case(
        "dr_grpo", {"loss_type": "dr_grpo", "scale_rewards": "none", "mask_truncated_completions": True}
    ),
    "entropy_bonus_by_rows": Case("grpo", {"loss_type": "grpo", "beta": 0.0, "entropy_coef": 0.01}),
    "entropy_bonus_dr_grpo": Case("dr_grpo", {"loss_type": "dr_grpo", "scale_rewards": "none", "entropy_coef": 0.01}),
    "off_policy_mask_kl": Case("dapo", {"loss_type": "dapo", "off_policy_mask_threshold": 5e-4, "beta": 0.1, **_CLIP}),
    "high_entropy_kl": Case("high_entropy", {"loss_type": "dapo", "top_entropy_quantile": 0.5, "beta": 0.1, **_CLIP}),
    "cispo_said_to_be_by_token": Case(
        "cispo", {"loss_type": "cispo", "epsilon_high": 1.02, "importance_sampling_level": "token"}
    ),
    "sapo_said_to_be_by_token": Case("sapo", {"loss_type": "sapo", "importance_sampling_level": "token"}),
    "tools": Case("dapo", {"loss_type": "dapo", "beta": 0.1, **_CLIP}, samples="tools"),
    "tools_by_rows": Case("grpo", {"loss_type": "grpo", "beta": 0.0}, samples="tools"),
    "tools_gspo": Case(
        "gspo", {"loss_type": "grpo", "importance_sampling_level": "sequence", **_NARROW}, samples="tools"
    ),
    "tools_high_entropy": Case(
        "high_entropy", {"loss_type": "dapo", "top_entropy_quantile": 0.5, **_CLIP}, samples="tools"
    ),
    "tools_overlong": Case("dapo", {"loss_type": "dapo", "mask_truncated_completions": True, **_CLIP}, samples="tools"),
    "tools_dr_grpo": Case("dr_grpo", {"loss_type": "dr_grpo", "scale_rewards": "none"}, samples="tools"),
    "nothing_written": Case("dapo", {"loss_type": "dapo", **_CLIP}, samples="a row of tools alone"),
    "nothing_written_by_rows": Case(
        "grpo", {"loss_type": "grpo", "beta": 0.0}, samples="a row of tools alone", larger="rows"
    ),
    "nothing_written_dr_grpo": Case(
        "dr_grpo", {"loss_type": "dr_grpo", "scale_rewards": "none"}, samples="a row of tools alone", larger="rows"
    ),
    "one_token": Case("dapo", {"loss_type": "dapo", "beta": 0.1, **_CLIP}, samples="one token each"),
    "one_token_gspo": Case(
        "gspo", {"loss_type": "grpo", "importance_sampling_level": "sequence", **_NARROW}, samples="one token each"
    ),
    "one_group_varies": Case("grpo", {"loss_type": "grpo", "beta": 0.04}, samples="all equal but one group"),
    "one_group_varies_gdpo": Case(
        "gdpo", {"multi_objective_aggregation": "normalize_then_sum", **_CLIP}, samples="all equal but one group"
    ),
    "unjudged": Case("dapo", {"loss_type": "dapo", **_CLIP}, samples="rows without a verdict", larger="tokens"),
    "unjudged_by_rows": Case(
        "grpo", {"loss_type": "grpo", "beta": 0.0}, samples="rows without a verdict", larger="rows"
    ),
    "unjudged_gdpo": Case(
        "gdpo",
        {"loss_type": "dapo", "multi_objective_aggregation": "normalize_then_sum", **_CLIP},
        samples="rows without a verdict",
        larger="tokens",
    ),
    "unjudged_batch": Case(
        "dapo", {"scale_rewards": "batch", **_CLIP}, samples="rows without a verdict", larger="tokens"
    ),
    "engine": Case("dapo", {"vllm_importance_sampling_correction": True, **_CLIP}),
    "engine_token_truncate": Case(
        "dapo",
        {
            "vllm_importance_sampling_mode": "token_truncate",
            "vllm_importance_sampling_clip_max": 1.01,
            "vllm_importance_sampling_clip_min": 0.99,
            "beta": 0.1,
            **_CLIP,
        },
    ),
    "engine_token_mask": Case(
        "dapo",
        {"vllm_importance_sampling_mode": "token_mask", "vllm_importance_sampling_clip_max": 1.02, **_CLIP},
        samples="tools",
    ),
    "engine_sequence_truncate": Case(
        "grpo",
        {
            "loss_type": "grpo",
            "beta": 0.0,
            "vllm_importance_sampling_mode": "sequence_truncate",
            "vllm_importance_sampling_clip_max": 1.03,
        },
    ),
    "engine_sequence_mask": Case(
        "dapo",
        {
            "vllm_importance_sampling_mode": "sequence_mask",
            "vllm_importance_sampling_clip_max": 2.5,
            "vllm_importance_sampling_clip_min": 0.4,
            **_CLIP,
        },
        samples="tools",
    ),
    "engine_off_policy_mask": Case(
        "dapo", {"vllm_importance_sampling_correction": True, "off_policy_mask_threshold": 5e-4, **_CLIP}
    ),
    "rloo": _rloo(0.0, _NO_KL),
    "rloo_kl": _rloo(0.05, {"modifiers.beta": 0.05}),
    "rloo_large_kl": _rloo(3.0, {"modifiers.beta": 3.0}),
    "rloo_narrow": _rloo(
        0.05,
        {"modifiers.beta": 0.05, "surrogate.epsilon": 0.01, "surrogate.epsilon_high": 0.02},
        epsilon=0.01,
        epsilon_high=0.02,
    ),
    "rloo_one_token": _rloo(0.05, {"modifiers.beta": 0.05}, samples="one token each"),
    "rloo_unjudged": _rloo(0.0, _NO_KL, samples="rows without a verdict", larger="rows"),
    "rloo_unjudged_kl": _rloo(0.05, {"modifiers.beta": 0.05}, samples="rows without a verdict", larger="rows"),
}
"""Methods that both have. TRL's ``vespo`` and ``luspo`` have no recipe here."""


def policy(which: str) -> LlamaForCausalLM:
    """The model that learns (``new``), the one before (``old``), the frozen ``reference``, an ``engine``'s; float32."""
    model = tiny_model(tiny_tokenizer())
    seed = {"new": 2, "old": 3, "reference": 4, "engine": 5}[which]
    draw, moved = np.random.default_rng(1), np.random.default_rng(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            base = draw.standard_normal(parameter.shape)
            values = 0.15 * base + 0.01 * moved.standard_normal(parameter.shape)
            parameter.copy_(torch.from_numpy(1.0 + values if "norm" in name else values).float())
    return model


def completions(samples: Samples = SAMPLES["plain"]) -> list[list[int]]:
    """Token ids; those that were not cut off end with the end of turn."""
    tokenizer, draw = tiny_tokenizer(), np.random.default_rng(7)
    found = []
    for length, is_cut in zip(samples.lengths, samples.cut_off, strict=True):
        tokens = draw.integers(5, len(tokenizer), size=length).tolist()
        found.append(tokens if is_cut else [*tokens[:-1], tokenizer.eos_token_id])
    return found


def prompt_ids(samples: Samples = SAMPLES["plain"]) -> list[list[int]]:
    """One a completion."""
    tokenizer = tiny_tokenizer()
    each = [tokenizer(text, add_special_tokens=False)["input_ids"] for text in samples.prompts]
    return [each[place] for place in samples.groups]


def fingerprint(gradients: dict[str, torch.Tensor]) -> dict[str, list[float]]:
    """Each parameter's gradient as its norm and three projections on fixed directions of unit length."""
    found = {}
    for number, name in enumerate(sorted(gradients)):
        gradient = gradients[name].detach().double().numpy().ravel()
        directions = np.random.default_rng(100 + number).standard_normal((3, gradient.size))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        found[name] = [float(np.linalg.norm(gradient)), *(directions @ gradient).tolist()]
    return found
