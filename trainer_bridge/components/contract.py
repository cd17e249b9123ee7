"""Types of component parameters, and the facts of a run that components may read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

from schemas.known_audit import KnownAudit
from trainer_bridge.rewards import RewardSpace

Positive = Annotated[float, Field(gt=0)]
NotNegative = Annotated[float, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=1)]


@dataclass(frozen=True)
class RunFacts:
    """The facts of a run that components may need. Lengths are in tokens; ``updates``: optimizer steps for each batch.

    A component may have a method ``for_run(facts)``, which returns a copy with its open parameters filled in, and a
    method ``check_run(facts)``, which raises ``RecipeError`` if it does not fit the run.
    """

    max_completion_length: int
    steps: int
    updates: int
    environments: Mapping[str, RewardSpace]
    """Each environment's own rewards, by the package's name."""
    audits: Mapping[str, KnownAudit] = field(default_factory=dict)
    """The audit of each environment's verifier, by the package's name. Missing where no audit could be read."""
