"""What a run would silently do otherwise than it was asked to: said once, after its first step."""

from collections.abc import Iterator, Mapping
from typing import Any

from schemas.manifest import RewardRole
from trainer_bridge.rewards import RewardSpace
from trainer_bridge.settings import TrainSettings


def first_step_warnings(
    metrics: Mapping[str, float], settings: TrainSettings, recipe: Any, space: RewardSpace
) -> Iterator[str]:
    """Sentences about what a run would silently learn less from than it was asked to, or something else."""
    for number in range(max(1, len(space.environments))):
        yield from _gate_warnings(recipe, space.of_environment(number))
    if metrics.get("rollout/ended_by_limit") == 1:
        limits = [
            f"{name}={value}" for name in ("max_turns", "max_rollout_tokens") if (value := getattr(settings, name))
        ]
        which = " or ".join([*limits, "the model's context"])
        yield (
            f"a limit ({which}) ended every rollout of the first step before its harness had ended it. They are judged "
            "as they are, and nothing is learnt of later turns: set a higher limit if that is not meant"
        )
    by_turn = [part.name for part in recipe.modifiers if part.name == "turn_returns"]
    if by_turn and metrics.get("rollout/judged_turns") == 0:
        yield (
            f"recipe {recipe.name} ({by_turn[0]}) learns from rewards by turn, and no turn of the first step had any: "
            'it learns from the outcome alone. A session gives them as "rewards" in what step() returns'
        )


def _gate_warnings(recipe: Any, space: RewardSpace) -> Iterator[str]:
    """A failed gate makes the weighted sum 0, which is no punishment where sums can be negative."""
    gates = [name for name, reward in space.declarations.items() if reward.role is RewardRole.GATE]
    low, _ = space.total_range()
    if gates and low < 0 and recipe.aggregator.name == "weighted_sum":
        yield (
            f"a sample that fails a gate ({', '.join(gates)}) earns 0, and one that passes may earn as little as "
            f"{low:g}: the model can learn to fail the gate. Declare scores that begin at 0, or take recipe gdpo, in "
            "which a failed gate makes each reward its least"
        )
