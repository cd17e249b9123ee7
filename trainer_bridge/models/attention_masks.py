"""How many earlier positions each layer of a model sees.

In some model families, all or some layers see only a window.
"""

from typing import Any

from torch import Tensor


def sliding_window(config: Any) -> int | None:
    """How many positions back, itself included, layers with a window see; None where the model has no window."""
    window: int | None = getattr(config, "sliding_window", None)
    return window if getattr(config, "use_sliding_window", True) else None


def layer_kinds(config: Any) -> frozenset[str]:
    """What kinds of layers there are, by transformers' names."""
    return frozenset(getattr(config, "layer_types", None) or ("full_attention",))


def masks_by_layer(config: Any, full: Tensor, windowed: Tensor) -> Tensor | dict[str, Tensor]:
    """The masks as transformers' models take them: one for each kind of layer, or a plain one where there is one kind.

    Given a plain mask, a model of two kinds would use it for both, and the layers with a window would see too much,
    without an error.
    """
    if layer_kinds(config) == {"full_attention"}:
        return full if hasattr(config, "layer_types") else windowed  # Mistral has a window and names no kinds
    return {"full_attention": full, "sliding_attention": windowed}
