"""Every component that a recipe can name, by kind."""

import dataclasses
import difflib
from collections.abc import Mapping
from typing import Any

from trainer_bridge.components.advantages.batch_norm import BatchNorm
from trainer_bridge.components.advantages.group import Group
from trainer_bridge.components.advantages.identity import Identity
from trainer_bridge.components.advantages.ones import Ones
from trainer_bridge.components.advantages.opo import Opo
from trainer_bridge.components.advantages.pass_at_k import PassAtK
from trainer_bridge.components.advantages.rloo import Rloo
from trainer_bridge.components.advantages.token_group import TokenGroup
from trainer_bridge.components.advantages.whitened import Whitened
from trainer_bridge.components.aggregators.gated import Gated
from trainer_bridge.components.aggregators.gdpo import Gdpo
from trainer_bridge.components.aggregators.lexicographic import Lexicographic
from trainer_bridge.components.aggregators.mo_grpo import MoGrpo
from trainer_bridge.components.aggregators.outcome_gated import OutcomeGated
from trainer_bridge.components.aggregators.weighted_sum import WeightedSum
from trainer_bridge.components.controllers.adaptive_kl import AdaptiveKl
from trainer_bridge.components.controllers.entropy_history import EntropyHistory
from trainer_bridge.components.controllers.magic import Magic
from trainer_bridge.components.filters.accepted import Accepted
from trainer_bridge.components.filters.overlong import Overlong
from trainer_bridge.components.filters.pass_rate_band import PassRateBand
from trainer_bridge.components.filters.zero_variance import ZeroVariance
from trainer_bridge.components.modifiers.entropy_advantage import EntropyAdvantage
from trainer_bridge.components.modifiers.hapo import HapoScale
from trainer_bridge.components.modifiers.lead import Lead
from trainer_bridge.components.modifiers.prl import Prl
from trainer_bridge.components.reductions.seq_mean_token_mean import SeqMeanTokenMean
from trainer_bridge.components.reductions.seq_mean_token_sum import SeqMeanTokenSum
from trainer_bridge.components.reductions.token_mean import TokenMean
from trainer_bridge.components.reductions.token_sum import TokenSum
from trainer_bridge.components.regularizers.entropy import Entropy
from trainer_bridge.components.regularizers.epo import Epo
from trainer_bridge.components.regularizers.kl import Kl
from trainer_bridge.components.samplers.curriculum import Curriculum
from trainer_bridge.components.samplers.uniform import Uniform
from trainer_bridge.components.shapers.backward_correction import BackwardCorrection
from trainer_bridge.components.shapers.lead_length import LeadLength
from trainer_bridge.components.shapers.length_penalty import LengthPenalty
from trainer_bridge.components.shapers.overlong import SoftOverlong
from trainer_bridge.components.surrogates.cispo import Cispo
from trainer_bridge.components.surrogates.clip import Clip
from trainer_bridge.components.surrogates.dro import Dro
from trainer_bridge.components.surrogates.gmpo import Gmpo
from trainer_bridge.components.surrogates.gpg import Gpg
from trainer_bridge.components.surrogates.gspo import Gspo
from trainer_bridge.components.surrogates.sapo import Sapo
from trainer_bridge.components.surrogates.unclipped_ratio import UnclippedRatio
from trainer_bridge.components.token_weights.clip_cov import ClipCov
from trainer_bridge.components.token_weights.high_entropy import HighEntropy
from trainer_bridge.components.token_weights.kl_cov import KlCov
from trainer_bridge.components.token_weights.off_policy_mask import OffPolicyMask
from trainer_bridge.components.token_weights.steer import Steer
from trainer_bridge.components.token_weights.truncated_importance import TruncatedImportance
from trainer_bridge.errors import RecipeError

_CLASSES: dict[str, tuple[type[Any], ...]] = {
    "sampler": (Uniform, Curriculum),
    "filters": (ZeroVariance, PassRateBand, Overlong, Accepted),
    "shapers": (SoftOverlong, LeadLength, LengthPenalty, BackwardCorrection),
    "aggregator": (WeightedSum, Gated, OutcomeGated, Gdpo, MoGrpo, Lexicographic),
    "advantage": (Group, Rloo, Opo, Whitened, PassAtK, TokenGroup, BatchNorm, Identity, Ones),
    "modifiers": (Lead, HapoScale, Prl, EntropyAdvantage),
    "surrogate": (Clip, Gspo, Gmpo, Cispo, Sapo, Dro, Gpg, UnclippedRatio),
    "token_weights": (HighEntropy, ClipCov, KlCov, Steer, TruncatedImportance, OffPolicyMask),
    "reduction": (TokenMean, TokenSum, SeqMeanTokenSum, SeqMeanTokenMean),
    "regularizers": (Kl, Entropy, Epo),
    "controllers": (AdaptiveKl, Magic, EntropyHistory),
}

COMPONENTS: Mapping[str, Mapping[str, type[Any]]] = {
    kind: {component.name: component for component in classes} for kind, classes in _CLASSES.items()
}
"""Kind -> name -> class. A kind in the plural is a list in a recipe, one in the singular names one component."""


def make_component(kind: str, name: str, parameters: Mapping[str, Any]) -> Any:
    """Build one component.

    Raises:
        RecipeError: no such name or parameter (with the nearest known one), or a value that the component refuses.

    """
    known = COMPONENTS[kind]
    if name not in known:
        raise RecipeError(f"{kind}: there is no component {name!r}{nearest(name, known)}")
    fields = {field.name: field for field in dataclasses.fields(known[name])}
    for parameter, value in parameters.items():
        if parameter not in fields:
            raise RecipeError(f"{kind} {name} has no parameter {parameter!r}{nearest(parameter, fields)}")
        _check_type(f"{kind} {name}.{parameter}", fields[parameter].default, value)
    settled = {key: tuple(value) if isinstance(value, list) else value for key, value in parameters.items()}
    try:
        return known[name](**settled)
    except ValueError as error:
        raise RecipeError(f"{kind} {name}: {error}") from error


def nearest(name: str, known: Mapping[str, Any]) -> str:
    """``; did you mean X?`` or the list of what there is."""
    close = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; there are {', '.join(sorted(known)) or 'none'}"


def _check_type(where: str, default: Any, value: Any) -> None:
    """Refuse a text for a number and the like, by the type of the parameter's default."""
    numbers = isinstance(default, (int, float)) and not isinstance(default, bool)
    fits = isinstance(value, (int, float)) and not isinstance(value, bool) if numbers else True
    if isinstance(default, bool):
        fits = isinstance(value, bool)
    elif isinstance(default, str):
        fits = isinstance(value, str)
    elif isinstance(default, tuple):
        fits = isinstance(value, (list, tuple))
    if not fits:
        raise RecipeError(f"{where} must be like {default!r}, not {value!r}")
