"""Random settings, crossed, by this trainer and by TRL 1.16: the same advantages, loss and gradients, or a refusal.

The cases of tests/making/oracle_cases.py are chosen by hand; these are drawn. In TRL's environment (see trl_oracle.py):

    PYTHONPATH=. python scripts/trl_random.py --count 300 --seed 1

A case that this trainer refuses with a reason is no difference. One that only TRL refuses is shown, and not compared.
"""

import argparse
import json
import logging
import warnings
from dataclasses import replace
from random import Random
from typing import Any

import torch

from scripts.trl_oracle import _measure
from tests.making.oracle_cases import CASES, MAX_LENGTH, PROMPTS, SAMPLES, Case, Samples
from tests.trainer_bridge.learn.test_trl_oracle import measured
from trainer_bridge.errors import TrainerBridgeError

_ASKED = (*PROMPTS, "?", "a" * 40, "Write nothing but one word. " * 5)
_LOSSES = ("grpo", "bnpo", "dapo", "dr_grpo", "cispo", "sapo", "luspo", "vespo")
_MODES = ("token_truncate", "token_mask", "sequence_truncate", "sequence_mask")


def samples(draw: Random) -> tuple[Samples, bool]:
    """Prompts, lengths, cut-off rows, rewards, tokens that a tool wrote; and whether rows were not judged at all."""
    prompts = tuple(draw.choice(_ASKED) for _ in range(draw.randint(1, 4)))
    group = draw.choice((2, 2, 3, 4, 5, 8))
    rows = range(len(prompts) * group)
    longest = draw.choice((1, 2, MAX_LENGTH, MAX_LENGTH, MAX_LENGTH))
    lengths = tuple(draw.randint(1, longest) for _ in rows)
    cut_off = tuple(draw.random() < 0.3 for _ in rows)
    values = (0.0, 0.25, 0.5, 1.0, -1.0, 3.0)
    rewards = [tuple(draw.choice(values) for _ in range(2)) for _ in rows]
    if draw.random() < 0.2:  # a group that earned the same
        rewards[:group] = [rewards[0]] * group
    if draw.random() < 0.1:  # all of them
        rewards = [rewards[0] for _ in rows]
    has_unjudged = draw.random() < 0.15
    judged = [(None, None) if has_unjudged and draw.random() < 0.25 else row for row in rewards]
    has_unjudged = (None, None) in judged
    read: dict[int, tuple[int, ...]] = {}
    if draw.random() < 0.4:
        for row in rows:
            places = tuple(place for place in range(lengths[row] - 1) if draw.random() < 0.3)
            read |= {row: places} if places else {}
    return Samples(lengths, cut_off, tuple(judged), read, prompts, group), has_unjudged


class Names(dict[str, Any]):
    """TRL's settings of one case."""

    def __init__(self, draw: Random) -> None:
        super().__init__(loss_type=draw.choice(_LOSSES), beta=0.0)
        self._draw = draw

    def maybe(self, chance: float, name: str, *values: Any) -> None:
        """With this chance the setting has one of these values."""
        if self._draw.random() < chance:
            self[name] = self._draw.choice(values)


def names(draw: Random, *, alone: bool) -> Names:
    """What is known to be refused (docs/reference/recipes.md) is drawn rarely.

    ``alone``: no setting that uses rows that were not judged.
    """
    found = Names(draw)
    _add_loss(found, draw)
    by_sequence = found["importance_sampling_level"] == "sequence"
    found.maybe(0.3, "multi_objective_aggregation", "normalize_then_sum", "sum_then_normalize")
    found["scale_rewards"] = draw.choice(("group", "batch", "none"))
    found.maybe(0.2, "mask_truncated_completions", True)
    found.maybe(0.25, "off_policy_mask_threshold", 1e-3, 5e-4, 1e-5)
    if not alone:  # the quantile is over all rows in TRL, and over judged ones here
        found.maybe(0.02 if by_sequence else 0.25, "top_entropy_quantile", 0.2, 0.5, 0.9)
        found.maybe(0.5, "beta", 0.04, 1.0)
        found.maybe(0.3 if found["beta"] else 0.0, "use_bias_correction_kl", True, False)
        found.maybe(0.02 if "top_entropy_quantile" in found else 0.3, "entropy_coef", 0.01, 0.2)
    if draw.random() < (0.02 if found["loss_type"] == "vespo" else 0.35):
        found.maybe(0.8, "vllm_importance_sampling_mode", *_MODES)
        found.maybe(0.6, "vllm_importance_sampling_clip_max", 1.01, 1.5, 3.0)
        found.maybe(0.4, "vllm_importance_sampling_clip_min", 0.5, 0.99)
        found["vllm_importance_sampling_correction"] = True
    return found


def _add_loss(found: Names, draw: Random) -> None:
    """The settings of the loss itself."""
    loss = found["loss_type"]
    by_sequence = draw.random() < (0.6 if loss in ("grpo", "luspo") else 0.03)
    found["importance_sampling_level"] = "sequence" if by_sequence else "token"
    if loss == "cispo":
        found["epsilon_high"] = draw.choice((5.0, 1.02, 1.003))
    elif loss == "sapo":
        found.maybe(0.5, "sapo_temperature_pos", 0.5, 2.0)
        found.maybe(0.5, "sapo_temperature_neg", 0.7, 3.0)
    elif loss == "vespo":
        for name in ("vespo_k_pos", "vespo_lambda_pos", "vespo_k_neg", "vespo_lambda_neg"):
            found.maybe(0.4, name, 0.5, 1.0, 2.5)
    else:
        found["epsilon"] = draw.choice((0.2, 0.05, 3e-3, 3e-4))
        found["epsilon_high"] = found["epsilon"] * draw.choice((1.0, 1.4, 3.0))
        found.maybe(0.02 if by_sequence else 0.2, "delta", 1.5, 1.01)


def random_case(seed: int) -> tuple[Case, str]:
    """A case and on which policy; its samples are put where cases look for them."""
    draw = Random(seed)  # noqa: S311 -- no secret
    name = f"random {seed}"
    SAMPLES[name], has_unjudged = samples(draw)
    given = dict(names(draw, alone=has_unjudged))
    by_rows = given["loss_type"] in ("grpo", "dr_grpo", "sapo", "luspo")
    weights = (draw.choice((1.0, 0.25, -0.5)), draw.choice((1.0, 0.5, 3.0)))
    recipe = draw.choice(("dapo", "dapo", "grpo", "gspo", "lite_ppo", "cispo"))
    larger = ("rows" if by_rows else "tokens") if has_unjudged else ""
    return Case(recipe, given, weights, samples=name, larger=larger), draw.choice(("on_policy", "off_policy"))


def _larger(case: Case) -> float:
    """By how much a mean here is larger than TRL's, which counts rows that were not judged (``Samples.larger``).

    ``mask_truncated_completions`` keeps TRL's mean over rows, and leaves the tokens of such rows out of both.
    """
    if not case.names.get("mask_truncated_completions") or not case.larger:
        return case.batch.larger(case.larger)
    if case.larger == "rows":
        return 1.0
    whole = [row for row, is_cut in enumerate(case.batch.cut_off) if not is_cut]
    kept = replace(
        case.batch,
        lengths=tuple(case.batch.lengths[row] for row in whole),
        rewards=tuple(case.batch.rewards[row] for row in whole),
        read={place: case.batch.read[row] for place, row in enumerate(whole) if row in case.batch.read},
    )
    return kept.larger("tokens")


def _has_row_judged_alone(case: Case) -> bool:
    """Under normalize_then_sum TRL counts such a row as 0 in the batch's mean; here it is in none (recipes.md)."""
    judged = [group for group, row in zip(case.batch.groups, case.batch.rewards, strict=True) if row != (None, None)]
    is_by_reward = case.names.get("multi_objective_aggregation") == "normalize_then_sum"
    return is_by_reward and any(judged.count(group) == 1 for group in judged)


def compare(seed: int) -> dict[str, Any]:
    """Both trainers on one case: ``state`` is same, differs, as documented, refused, or trl refuses."""
    case, kind = random_case(seed)
    CASES[f"random {seed}"] = case
    told = {"seed": seed, "kind": kind, "recipe": case.recipe, "names": case.names, "weights": case.weights}
    try:
        advantages, loss, gradients, _ = measured(f"random {seed}", kind)
    except TrainerBridgeError as error:
        return {**told, "state": "refused", "why": str(error)}
    try:
        wanted = _measure(case, is_off_policy=kind == "off_policy")
    except Exception as error:  # noqa: BLE001 -- whatever TRL raises is shown
        return {**told, "state": "trl refuses", "why": f"{type(error).__name__}: {error}"[:300]}
    larger = _larger(case)
    size = sum(values[0] ** 2 for values in wanted["gradients"].values()) ** 0.5 * larger
    away = (
        sum(
            (found - larger * one) ** 2
            for key, values in wanted["gradients"].items()
            for found, one in zip(gradients.get(key, [0.0] * 4), values, strict=True)
        )
        ** 0.5
    )
    largest = max(1.0, *map(abs, wanted["advantages"]))
    off = max(abs(own - its) for own, its in zip(advantages.tolist(), wanted["advantages"], strict=True))
    lost = abs(loss - larger * wanted["loss"])  # what is left of numbers as large as the advantages, in float32
    # a gradient that is 0 here is of the rounding of TRL's advantages in float32 there: 1e-6 was seen
    is_same = away <= 1e-5 * max(size, 0.2) and off <= 1e-5 * largest
    is_same = is_same and lost <= 1e-5 * abs(larger * wanted["loss"]) + 4e-6 * largest
    state = "same" if is_same else "as documented" if _has_row_judged_alone(case) else "differs"
    return {**told, "state": state, "gradient": away / max(size, 1e-12), "size": size,
            "advantages": off, "loss": lost, "losses": (loss, larger * wanted["loss"]),
            "read": bool(case.batch.read), "unjudged": bool(case.larger)}  # fmt: skip


def main() -> None:
    """Draw, compare, and print a line of JSON for each case that is not the same."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="of the first case")
    options = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    counts: dict[str, int] = {}
    for seed in range(options.seed, options.seed + options.count):
        found = compare(seed)
        counts[found["state"]] = counts.get(found["state"], 0) + 1
        if found["state"] != "same":
            print(json.dumps(found), flush=True)
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
