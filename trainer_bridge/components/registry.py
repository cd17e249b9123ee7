"""Every component that a recipe can name, by kind."""

import dataclasses
from collections.abc import Mapping
from functools import cache
from typing import Any, get_type_hints

from pydantic import ConfigDict, TypeAdapter, ValidationError

from trainer_bridge.components.advantages import (
    Accepted,
    BatchNorm,
    Group,
    Identity,
    Ones,
    Opo,
    Overlong,
    PassAtK,
    PassRateBand,
    Rloo,
    TokenGroup,
    Whitened,
    ZeroVariance,
)
from trainer_bridge.components.aggregators import Gated, Gdpo, Lexicographic, MoGrpo, OutcomeGated, WeightedSum
from trainer_bridge.components.controllers import AdaptiveKl, EntropyHistory, Magic
from trainer_bridge.components.error_rate_corrections import BackwardCorrection, ForwardCorrection
from trainer_bridge.components.losses import (
    Cispo,
    Clip,
    Dro,
    Gmpo,
    Gpg,
    Gspo,
    Sapo,
    SeqMeanTokenMean,
    SeqMeanTokenSum,
    SequenceClip,
    TokenMean,
    TokenSum,
    UnclippedRatio,
    Vespo,
)
from trainer_bridge.components.modifiers import Empg, EntropyAdvantage, HapoScale, KlReward, Lead, Prl, TurnReturns
from trainer_bridge.components.names import refuse_unknown
from trainer_bridge.components.regularizers import Entropy, Epo, Kl
from trainer_bridge.components.samplers import Curriculum, Uniform
from trainer_bridge.components.shapers import LeadLength, LengthPenalty, SoftOverlong
from trainer_bridge.components.token_weights import (
    ClipCov,
    HighEntropy,
    KlCov,
    OffPolicyMask,
    Steer,
    TruncatedImportance,
)
from trainer_bridge.errors import RecipeError

_CLASSES: dict[str, tuple[type[Any], ...]] = {
    "sampler": (Uniform, Curriculum),
    "filters": (ZeroVariance, PassRateBand, Overlong, Accepted),
    "shapers": (SoftOverlong, LeadLength, LengthPenalty, BackwardCorrection, ForwardCorrection),
    "aggregator": (WeightedSum, Gated, OutcomeGated, Gdpo, MoGrpo, Lexicographic),
    "advantage": (Group, Rloo, Opo, Whitened, PassAtK, TokenGroup, BatchNorm, Identity, Ones),
    "modifiers": (Lead, HapoScale, Prl, KlReward, EntropyAdvantage, TurnReturns, Empg),
    "surrogate": (Clip, Gspo, SequenceClip, Gmpo, Cispo, Sapo, Vespo, Dro, Gpg, UnclippedRatio),
    "token_weights": (HighEntropy, ClipCov, KlCov, Steer, TruncatedImportance, OffPolicyMask),
    "reduction": (TokenMean, TokenSum, SeqMeanTokenSum, SeqMeanTokenMean),
    "regularizers": (Kl, Entropy, Epo),
    "controllers": (AdaptiveKl, Magic, EntropyHistory),
}

COMPONENTS: Mapping[str, Mapping[str, type[Any]]] = {
    kind: {component.name: component for component in classes} for kind, classes in _CLASSES.items()
}
"""Kind -> name -> class.

A kind with a plural name takes a list of components in a recipe; one with a singular name takes exactly one.
"""


def make_component(kind: str, name: str, parameters: Mapping[str, Any]) -> Any:
    """Build one component.

    Raises:
        RecipeError: no such name or parameter (with the nearest known one), or a value that the component refuses.

    """
    known = COMPONENTS[kind]
    refuse_unknown(kind, name, parameters, {one: tuple(_parameter_types(kind, one)) for one in known})
    types = _parameter_types(kind, name)
    settled = {}
    for parameter, value in parameters.items():
        settled[parameter] = _checked(f"{kind} {name}.{parameter}", types[parameter], value)
    try:
        return known[name](**settled)
    except ValueError as error:
        raise RecipeError(f"{kind} {name}: {error}") from error


@cache
def _parameter_types(kind: str, name: str) -> Mapping[str, TypeAdapter[Any]]:
    component = COMPONENTS[kind][name]
    hints = get_type_hints(component, include_extras=True)
    strict = ConfigDict(strict=True, allow_inf_nan=False)
    return {field.name: TypeAdapter(hints[field.name], config=strict) for field in dataclasses.fields(component)}


def _checked(where: str, expected: TypeAdapter[Any], value: Any) -> Any:
    """Return ``value`` in the type of its parameter.

    Raises RecipeError for a value of the wrong type, an unknown word, or a number out of range.
    """
    try:
        return expected.validate_python(tuple(value) if isinstance(value, list) else value)
    except ValidationError as error:
        words = "; ".join(item["msg"][0].lower() + item["msg"][1:] for item in error.errors())
        raise RecipeError(f"{where} is {value!r}: {words}") from None
