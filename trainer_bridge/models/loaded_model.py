"""Loads a model: ``smollm2``, ``tiny``, OWNER/NAME on the Hugging Face hub, or a folder in transformers' format."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
import transformers
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel

from trainer_bridge.errors import ModelError
from trainer_bridge.models.hugging_face import fetched_folder
from trainer_bridge.models.names import check_model_name, is_on_a_hub
from trainer_bridge.models.smollm2 import smollm2_folder
from trainer_bridge.models.tiny import tiny_model, tiny_tokenizer

_HEAD_KNOBS = {"final_logit_softcapping": 0.0, "logits_scaling": 1.0, "logit_scale": 1.0}


@dataclass(frozen=True)
class LoadedModel:
    """Weights, tokenizer, and the ids that end a completion (a model may have several)."""

    model: PreTrainedModel
    tokenizer: Any
    eos_ids: tuple[int, ...]
    revision: str = ""
    """The commit of a model from the Hugging Face hub."""


def load_model(
    name: str,
    *,
    dtype: torch.dtype,
    device: torch.device,
    cache: Path,
    say: Callable[[str], None] = lambda _: None,
    offline: bool = False,
) -> LoadedModel:
    """Load ``name`` with dropout off. ``offline``: nothing is fetched.

    Raises:
        ModelError: there is no such model, it cannot be fetched, or transformers cannot read it (the message says why).

    """
    transformers.logging.disable_progress_bar()
    if name == "tiny":
        tokenizer = tiny_tokenizer()
        return _finish(tiny_model(tokenizer).to(dtype), tokenizer, device)
    check_model_name(name)
    say(f"Loading {name}")
    revision = ""
    if name == "smollm2":
        folder = smollm2_folder(cache / "models", say, offline=offline)
    elif is_on_a_hub(name):
        folder = fetched_folder(name, offline=offline)
        revision = folder.name
    else:
        folder = Path(name)
    try:
        model = AutoModelForCausalLM.from_pretrained(folder, dtype=dtype, local_files_only=True)
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    except (OSError, ValueError, KeyError) as error:
        raise ModelError(f"transformers cannot load {folder}: {error}") from error
    return replace(_finish(model, tokenizer, device), revision=revision)


def check_plain_head(config: Any) -> None:
    """Refuse a head that does more than a matrix product, since log-probabilities are computed from its weight alone.

    Raises:
        ModelError: the configuration scales or caps its logits.

    """
    for knob, neutral in _HEAD_KNOBS.items():
        value = getattr(config, knob, None)
        if value not in (None, neutral):
            raise ModelError(
                f"this model's head has {knob} = {value}, which the trainer does not compute; use another model"
            )


def _finish(model: PreTrainedModel, tokenizer: Any, device: torch.device) -> LoadedModel:
    check_plain_head(model.config)
    if getattr(model.get_output_embeddings(), "bias", None) is not None:
        raise ModelError("this model's head has a bias, which the trainer does not compute; use another model")
    if tokenizer.chat_template is None:
        raise ModelError("the tokenizer has no chat template; verihub train needs an instruction-tuned model")
    # A generation_config that comes with the model must not override the user's settings, such as the temperature.
    declared = model.generation_config.eos_token_id
    ids = declared if isinstance(declared, list) else [declared]
    eos_ids = {int(token) for token in [*ids, tokenizer.eos_token_id] if token is not None}
    if not eos_ids:
        raise ModelError("neither tokenizer nor model says which token ends a completion")
    model.to(device)
    model.eval()  # dropout off: sampler and learner must compute log-probabilities of the same policy
    return LoadedModel(model, tokenizer, tuple(sorted(eos_ids)))
