"""Which models ``--model`` can name. They are checked before torch is imported."""

from pathlib import Path

from schemas.wording import nearest
from trainer_bridge.errors import UnknownModelError

KNOWN = ("smollm2", "tiny")


def check_model_name(name: str) -> None:
    """Raise :class:`UnknownModelError` unless ``name`` is a known model or a folder in transformers' format."""
    if name not in KNOWN and not (Path(name) / "config.json").is_file():
        meant = nearest(name, KNOWN)
        hint = f"; {meant}" if meant.startswith("did you mean") else ""
        raise UnknownModelError(
            f"--model {name} is neither smollm2, tiny, nor a folder with transformers' config.json{hint}"
        )
