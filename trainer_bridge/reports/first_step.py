"""What the first step of a run shows that its settings and manifests could not: said once, before hours are spent."""

from collections.abc import Iterator, Mapping
from typing import Any

from trainer_bridge.settings import TrainSettings


def first_step_warnings(metrics: Mapping[str, float], settings: TrainSettings, recipe: Any) -> Iterator[str]:
    """Sentences about what a run would silently learn less from than it was asked to."""
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
