"""The state of a run that changes and is stored in checkpoints."""

from dataclasses import dataclass, field
from typing import Any, Self

from trainer_bridge.batch import State
from trainer_bridge.reports.evaluation import Evaluation
from trainer_bridge.rewards import RewardSpace


@dataclass
class TrainingState(State):
    """The components' state and that of the loop. Each field names its only writer."""

    before: Evaluation | None = None
    """The evaluation before training. Written once, by the loop."""
    warmed: Evaluation | None = None
    """The evaluation after the supervised warm-up, if there is one. Written once, by the loop."""
    best: float = float("-inf")
    """The best evaluation during training. Written by the loop."""
    last_metrics: dict[str, float] = field(default_factory=dict)
    """Metrics of the newest step. Written by the loop's step."""
    tokens: float = 0.0
    """Tokens of prompts and completions so far, counted as in TRL. Written by the loop's step."""
    steps_with_signal: int = 0
    """Number of steps in which the rewards of some group differed. Written by the loop's step."""
    lost_tries: int = 0
    """Number of tries of rollouts that were lost and played again. Written by the loop's step."""
    warm_up_steps: int = 0
    """Number of finished supervised steps. Written by the warm-up."""

    curves: dict[str, list[list[float]]] = field(default_factory=dict)
    """Mean rewards by both verifiers for each step, for the alarm. Written by the loop's step."""

    has_warned: bool = False
    """Whether the alarm was on after the last step, so that it is reported once. Written by the loop's step."""

    def to_json(self) -> dict[str, Any]:
        """The state as a checkpoint stores it."""
        return {
            "step": self.step,
            "coefficients": self.coefficients,
            "memory": self.memory,
            "before": self.before.to_json() if self.before else None,
            "warmed": self.warmed.to_json() if self.warmed else None,
            "best": None if self.best == float("-inf") else self.best,
            "last_metrics": self.last_metrics,
            "tokens": self.tokens,
            "steps_with_signal": self.steps_with_signal,
            "lost_tries": self.lost_tries,
            "warm_up_steps": self.warm_up_steps,
            "curves": self.curves,
        }

    @classmethod
    def from_json(cls, facts: dict[str, Any], space: RewardSpace) -> Self:
        """Read the result of :meth:`to_json`; other keys are ignored."""
        return cls(
            step=facts["step"],
            coefficients=facts["coefficients"],
            memory=facts["memory"],
            before=Evaluation.from_json(facts["before"], space) if facts["before"] else None,
            warmed=Evaluation.from_json(facts["warmed"], space) if facts["warmed"] else None,
            best=float("-inf") if facts["best"] is None else facts["best"],
            last_metrics=facts["last_metrics"],
            tokens=facts["tokens"],
            steps_with_signal=facts["steps_with_signal"],
            lost_tries=facts.get("lost_tries", 0),
            warm_up_steps=facts["warm_up_steps"],
            curves=facts.get("curves", {}),
        )
