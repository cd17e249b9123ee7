"""What components may ask of their parameters, of each other and of the run that they are used in."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

from schemas.known_audit import KnownAudit
from trainer_bridge.batch import RewardSpace

Positive = Annotated[float, Field(gt=0)]
NotNegative = Annotated[float, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=1)]


@dataclass(frozen=True)
class RunFacts:
    """What a component may need to know of the run: lengths in tokens, ``updates`` optimizer steps a batch.

    A component with a method ``for_run(facts)`` returns itself with what it left open filled in; one with
    ``check_run(facts)`` raises ``RecipeError`` where the run contradicts it.
    """

    max_completion_length: int
    steps: int
    updates: int
    environments: Mapping[str, RewardSpace]
    """Each environment's own rewards, by the package's name."""
    audits: Mapping[str, KnownAudit] = field(default_factory=dict)
    """What is known of the verifier of each, by the package's name; nothing where no audit could be read."""
