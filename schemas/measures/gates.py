"""Whether a reward vector passes its gates. A reward with the role ``gate`` decides whether the others count."""

from collections.abc import Mapping

from schemas.manifest import RewardDeclaration, RewardRole


def is_gate_closed(rewards: Mapping[str, float | None], declared: Mapping[str, RewardDeclaration]) -> bool:
    """Whether any gate was judged and lies below its threshold. An unjudged gate (None, NaN) is not closed."""
    return any(
        (value := rewards.get(name)) is not None and value < reward.threshold
        for name, reward in declared.items()
        if reward.role is RewardRole.GATE
    )
