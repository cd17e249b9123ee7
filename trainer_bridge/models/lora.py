"""LoRA by peft: small trained matrices beside frozen weights, added to the model in place, without dropout."""

from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from schemas.extras import how_to_install
from trainer_bridge.errors import ModelError, SettingsError

_NAME = "default"


def add_adapters(model: Any, *, rank: int, alpha: int, targets: tuple[str, ...], seed: int) -> None:
    """Freeze ``model`` and add adapters to its linear layers. The outputs do not change until the adapters are trained.

    ``targets``: last parts of the layers' names; empty means every linear layer except the head.

    Raises:
        SettingsError: peft is not installed.
        ModelError: the model has no layer of these names.

    """
    try:
        from peft import LoraConfig, inject_adapter_in_model  # noqa: PLC0415 -- an extra of its own
    except ImportError:
        raise SettingsError(f"lora_r needs peft: {how_to_install('lora')}") from None
    config = LoraConfig(r=rank, lora_alpha=alpha, target_modules=list(targets) or "all-linear", lora_dropout=0.0)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        try:
            inject_adapter_in_model(config, model, adapter_name=_NAME)
        except ValueError as error:
            raise ModelError(f"no adapters for this model: {error}") from None


def has_adapters(model: Any) -> bool:
    """Whether :func:`add_adapters` was called on ``model``."""
    return hasattr(model, "peft_config")


def merged_weights(model: Any) -> dict[str, Tensor]:
    """The weights of a plain model with the same outputs: the adapters are added to the frozen weights."""
    from peft.tuners.lora import LoraLayer  # noqa: PLC0415

    merged: dict[str, Tensor] = {}
    beside: dict[str, Any] = {name: layer for name, layer in model.named_modules() if isinstance(layer, LoraLayer)}
    for name, value in model.state_dict().items():
        if ".lora_" in name:
            continue
        layer = beside.get(name.partition(".base_layer.")[0])
        if layer is not None and name.endswith(".base_layer.weight"):
            value = (value.float() + layer.get_delta_weight(_NAME).float()).to(value.dtype)  # noqa: PLW2901
        merged[name.replace(".base_layer.", ".")] = value
    return merged


def save_adapters(model: Any, folder: Path) -> None:
    """Write only the adapters, in peft's format."""
    from peft.utils import get_peft_model_state_dict  # noqa: PLC0415
    from safetensors.torch import save_file  # noqa: PLC0415

    folder.mkdir(parents=True, exist_ok=True)
    model.peft_config[_NAME].save_pretrained(folder)
    tensors = get_peft_model_state_dict(model, adapter_name=_NAME)
    save_file({f"base_model.model.{name}": value.contiguous() for name, value in tensors.items()},
              folder / "adapter_model.safetensors", {"format": "pt"})  # fmt: skip
