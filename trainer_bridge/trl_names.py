"""Translates TRL's names of settings to those of this trainer and its recipes."""

from collections.abc import Callable, Mapping
from typing import Any

from trainer_bridge.errors import SettingsError
from trainer_bridge.trl_refusals import REFUSED

Entries = dict[str, list[tuple[str, dict[str, Any]]]]
"""A recipe before it is built: kind -> (component, parameters)."""

_RENAMED = {
    "max_steps": "steps",
    "output_dir": "output",
    "resume_from_checkpoint": "resume",
    "model_name_or_path": "model",
    "activation_checkpointing": "gradient_checkpointing",
    "ddp_timeout": "rank_timeout",
}
_LOSS_REDUCTIONS = {
    "grpo": "seq_mean_token_mean",
    "bnpo": "token_mean",
    "dapo": "token_mean",
    "dr_grpo": "seq_mean_token_sum",
    "cispo": "token_mean",
    "sapo": "seq_mean_token_mean",
    "luspo": "seq_mean_token_sum",
    "vespo": "token_mean",
}
_OF_A_LOSS = ("cispo", "sapo", "vespo")


def translate(values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split ``values`` into (settings under this trainer's names, what changes the recipe, under TRL's names).

    Raises:
        SettingsError: a TRL setting has no counterpart here. The message says what to use instead.

    """
    settings: dict[str, Any] = {}
    changes: dict[str, Any] = {}
    for name, value in values.items():
        if name in REFUSED:
            raise SettingsError(f"{name} is TRL's and has no counterpart: {REFUSED[name]}")
        if name == "resume_from_checkpoint" and isinstance(value, str):
            raise SettingsError(
                "resume_from_checkpoint: say true, and output; the run goes on from its newest checkpoint"
            )
        if name in RECIPE_NAMES:
            changes[name] = value
        elif name == "bf16":
            settings["dtype"] = "bfloat16" if value else "float32"
        elif name == "use_cpu":
            settings |= {"device": "cpu"} if value else {}  # false leaves the choice to ``device``
        elif name == "report_to" and isinstance(value, str):
            settings[name] = () if value == "none" else (value,)
        elif name == "lora_target_modules":
            settings[name] = _layers(value)
        elif name in _RENAMED and _RENAMED[name] in values:
            raise SettingsError(f"{name} and {_RENAMED[name]} are the same setting: give only one of them")
        else:
            settings[_RENAMED.get(name, name)] = value
    return settings, {name: changes[name] for name in RECIPE_NAMES if name in changes}


def _layers(value: Any) -> Any:
    """TRL takes one name without a list, and ``all-linear`` for every linear layer but the head: the default here."""
    names = [value] if isinstance(value, str) else value
    return () if names == ["all-linear"] else names


def _set(kind: str, component: str, **parameters: Any) -> Callable[[Entries], None]:
    """A change that gives ``component`` these parameters, and adds it if the recipe lacks it."""

    def change(entries: Entries) -> None:
        for name, known in entries[kind]:
            if name == component:
                known.update(parameters)
                return
        entries[kind].append((component, dict(parameters)))

    return change


def _drop(kind: str, component: str) -> Callable[[Entries], None]:
    def change(entries: Entries) -> None:
        entries[kind] = [entry for entry in entries[kind] if entry[0] != component]

    return change


def _replace(kind: str, component: str, keep: tuple[str, ...] = ()) -> Callable[[Entries], None]:
    """A change that makes ``component`` the one of ``kind``. Parameters named in ``keep`` stay."""

    def change(entries: Entries) -> None:
        ((name, parameters),) = entries[kind]
        if name != component:
            entries[kind] = [(component, {key: value for key, value in parameters.items() if key in keep})]

    return change


def _refuse(name: str, value: Any, known: object) -> SettingsError:
    return SettingsError(f"{name} {value!r} has no counterpart here; there are {known}")


def _loss_type(entries: Entries, value: Any) -> None:
    if value not in _LOSS_REDUCTIONS:
        raise _refuse("loss_type", value, ", ".join(_LOSS_REDUCTIONS))
    if value in _OF_A_LOSS:
        _replace("surrogate", value)(entries)
    elif entries["surrogate"][0][0] not in ("clip", "gspo"):
        _replace("surrogate", "clip")(entries)
    _replace("reduction", _LOSS_REDUCTIONS[value])(entries)
    parameters = entries["reduction"][0][1]
    if value == "luspo":
        parameters["horizon"] = 1.0  # sums over tokens, divided by nothing
    elif parameters.get("horizon") == 1.0:
        del parameters["horizon"]


def _importance_sampling_level(entries: Entries, value: Any) -> None:
    """Token ratios are those of every surrogate but ``gspo``, which is the clipped one over whole sequences."""
    known = {"token": "clip", "sequence": "gspo"}
    if value not in known:
        raise _refuse("importance_sampling_level", value, ", ".join(known))
    ((name, parameters),) = entries["surrogate"]
    if name == known[value] or (value == "token" and name != "gspo"):
        return
    if name not in known.values():
        raise SettingsError(f"importance_sampling_level 'sequence' with surrogate {name} has no counterpart here")
    if parameters.get("delta"):
        raise SettingsError("importance_sampling_level 'sequence' with a dual clip (delta) has no counterpart here")
    bounds = {"epsilon": 0.2, "epsilon_high": 0.2, **parameters}  # TRL uses one default for both
    entries["surrogate"] = [(known[value], {name: bounds[name] for name in ("epsilon", "epsilon_high")})]


def _multi_objective_aggregation(entries: Entries, value: Any) -> None:
    known = {"sum_then_normalize": ("weighted_sum", "group"), "normalize_then_sum": ("gdpo", "batch_norm")}
    if value not in known:
        raise _refuse("multi_objective_aggregation", value, ", ".join(known))
    _replace("aggregator", known[value][0])(entries)
    _replace("advantage", known[value][1])(entries)


def _scale_rewards(entries: Entries, value: Any) -> None:
    scale = {True: "group", False: "none"}.get(value, value)
    if scale not in ("group", "batch", "none"):
        raise _refuse("scale_rewards", value, "group, batch, none")
    if entries["aggregator"][0][0] == "gdpo":
        return  # TRL reads it under sum_then_normalize alone, and has a value for it in every configuration
    _replace("advantage", "group")(entries)
    _set("advantage", "group", scale=scale)(entries)


def _beta(entries: Entries, value: Any) -> None:
    """TRL multiplies the KL term by the importance ratio unless ``use_bias_correction_kl`` says otherwise."""
    level = "sequence" if entries["surrogate"][0][0] == "gspo" else "token"
    kl = _set("regularizers", "kl", beta=value, unbiased=True, level=level) if value else _drop("regularizers", "kl")
    kl(entries)


def _epsilon(entries: Entries, value: Any) -> None:
    name, parameters = entries["surrogate"][0]
    if name not in ("clip", "gspo", "gmpo"):
        raise SettingsError(f"epsilon is a bound of clipping, and surrogate {name} has none")
    parameters["epsilon"] = value
    parameters.setdefault("epsilon_high", value)  # in TRL the upper bound defaults to the lower one


def _on_surrogate(parameter: str) -> Callable[[Entries, Any], None]:
    def change(entries: Entries, value: Any) -> None:
        entries["surrogate"][0][1][parameter] = value

    return change


def _quantile(entries: Entries, value: Any) -> None:
    if value != 1 and entries["surrogate"][0][0] == "gspo":
        raise SettingsError(
            "top_entropy_quantile with sequence ratios: in TRL the gradient then reaches all tokens of a row, in the "
            "measure of how many were chosen, which has no counterpart here"
        )
    switch = (
        _drop("token_weights", "high_entropy") if value == 1 else _set("token_weights", "high_entropy", share=value)
    )
    switch(entries)


def _overlong(entries: Entries, value: Any) -> None:
    (_set if value else _drop)("filters", "overlong")(entries)
    name, parameters = entries["reduction"][0]
    if value and name.startswith("seq_mean"):  # TRL's mean is over all rows, including masked ones
        parameters["rows"] = "all"


def _entropy(entries: Entries, value: Any) -> None:
    if value and any(name == "high_entropy" for name, _ in entries["token_weights"]):
        raise SettingsError(
            "entropy_coef with top_entropy_quantile: in TRL the bonus then acts on the chosen tokens alone, which "
            "has no counterpart here"
        )
    bonus = _set("regularizers", "entropy", coefficient=value, mean="tokens")
    (bonus if value else _drop("regularizers", "entropy"))(entries)


def _off_policy(entries: Entries, value: Any) -> None:
    _set("token_weights", "off_policy_mask", threshold=value)(entries)


_CORRECTION = "truncated_importance"
_TRLS_CORRECTION = {"level": "sequence_sum", "mode": "mask", "cap": 3.0}
_MODES = {
    "token_truncate": {"level": "token", "mode": "truncate"},
    "token_mask": {"level": "token", "mode": "mask"},
    "sequence_truncate": {"level": "sequence_sum", "mode": "truncate"},
    "sequence_mask": {"level": "sequence_sum", "mode": "mask"},
}


def _correct(entries: Entries, **parameters: Any) -> None:
    """Weigh by how likely the trained policy finds what the sampler wrote; what is not said is as in TRL."""
    if not any(name == _CORRECTION for name, _ in entries["token_weights"]):
        parameters = {**_TRLS_CORRECTION, **parameters}
    _set("token_weights", _CORRECTION, **parameters)(entries)


def _correction(entries: Entries, value: Any) -> None:
    if value:
        _correct(entries)
    else:
        _drop("token_weights", _CORRECTION)(entries)


def _correction_mode(entries: Entries, value: Any) -> None:
    if value not in _MODES:
        raise _refuse("vllm_importance_sampling_mode", value, ", ".join(_MODES))
    if _MODES[value]["level"] == "token" and entries["surrogate"][0][0] == "gspo":
        raise SettingsError(
            f"vllm_importance_sampling_mode {value!r} with sequence ratios: in TRL the gradient of all tokens of a row "
            "then has the mean of their weights, which has no counterpart here; use sequence_truncate or sequence_mask"
        )
    _correct(entries, **_MODES[value])


def _correction_cap(entries: Entries, value: Any) -> None:
    _correct(entries, cap=value)


def _correction_floor(entries: Entries, value: Any) -> None:
    _correct(entries, floor=value)


def _bias_correction(entries: Entries, value: Any) -> None:
    _set("regularizers", "kl", unbiased=value)(entries)


RECIPE_NAMES: Mapping[str, Callable[[Entries, Any], None]] = {
    "loss_type": _loss_type,
    "importance_sampling_level": _importance_sampling_level,
    "multi_objective_aggregation": _multi_objective_aggregation,
    "scale_rewards": _scale_rewards,
    "epsilon": _epsilon,
    "epsilon_high": _on_surrogate("epsilon_high"),
    "delta": _on_surrogate("delta"),
    "sapo_temperature_pos": _on_surrogate("temperature_pos"),
    "sapo_temperature_neg": _on_surrogate("temperature_neg"),
    "vespo_k_pos": _on_surrogate("k_pos"),
    "vespo_lambda_pos": _on_surrogate("lambda_pos"),
    "vespo_k_neg": _on_surrogate("k_neg"),
    "vespo_lambda_neg": _on_surrogate("lambda_neg"),
    "beta": _beta,
    "use_bias_correction_kl": _bias_correction,
    "top_entropy_quantile": _quantile,
    "entropy_coef": _entropy,
    "mask_truncated_completions": _overlong,
    "off_policy_mask_threshold": _off_policy,
    "vllm_importance_sampling_mode": _correction_mode,
    "vllm_importance_sampling_clip_max": _correction_cap,
    "vllm_importance_sampling_clip_min": _correction_floor,
    "vllm_importance_sampling_correction": _correction,  # last: false says that there is none, whatever its mode
}
"""TRL's names for what a recipe decides here, in the order in which they are applied."""
