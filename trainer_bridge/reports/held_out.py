"""Does training still earn what it is meant to earn: the verifier in the loop against one held out."""

from collections.abc import Sequence

from schemas.metric_names import held_out_metric
from trainer_bridge.rollout.rollouts import Rollout


def held_out_metrics(rollouts: Sequence[Rollout]) -> dict[str, float]:
    """``held_out/{name}/mean`` over the samples that the held-out verifier could judge; empty without one.

    When ``rewards/{name}/mean`` climbs and this does not, the policy is learning the verifier and not the task.
    """
    values: dict[str, list[float]] = {}
    for rollout in rollouts:
        if rollout.held_out is not None and rollout.held_out.error is None:
            for name, value in rollout.held_out.rewards.items():
                if value is not None:
                    values.setdefault(name, []).append(value)
    return {held_out_metric(name): sum(judged) / len(judged) for name, judged in values.items()}
