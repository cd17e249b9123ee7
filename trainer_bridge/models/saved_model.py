"""Writes a trained model as an ordinary transformers folder, atomically."""

import os
import shutil
import tempfile
from pathlib import Path

from trainer_bridge.models.loaded_model import LoadedModel
from trainer_bridge.models.lora import has_adapters, merged_weights, save_adapters


def save_model(loaded: LoadedModel, folder: Path) -> Path:
    """Write weights, configuration and tokenizer to ``folder``. A folder of that name is replaced."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        if has_adapters(loaded.model):
            loaded.model.config.save_pretrained(scratch)
            loaded.model.save_pretrained(scratch, state_dict=merged_weights(loaded.model))
            save_adapters(loaded.model, scratch / "adapters")
        else:
            loaded.model.save_pretrained(scratch)
        loaded.tokenizer.save_pretrained(scratch)
        if folder.exists():
            shutil.rmtree(folder)
        os.replace(scratch, folder)  # noqa: PTH105 -- the one call that is atomic on every system
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return folder
