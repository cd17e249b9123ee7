"""Writes a trained model as an ordinary transformers folder, atomically."""

import os
import shutil
import tempfile
from pathlib import Path

from trainer_bridge.disk import writing_to
from trainer_bridge.models.loaded_model import LoadedModel
from trainer_bridge.models.lora import has_adapters, merged_weights, save_adapters


def save_model(loaded: LoadedModel, folder: Path) -> Path:
    """Write weights, configuration and tokenizer to ``folder``, replacing what was there.

    If the process is killed meanwhile, ``folder`` holds the old model, the new one, or does not exist.

    Raises:
        NotWrittenError: the disk is full, say. The old model stays.

    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    for left in folder.parent.glob(f".{folder.name}-*"):  # of a killed save; a run's folder has one writer
        shutil.rmtree(left)
    scratch = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    made = scratch / folder.name  # the scratch folder itself is for its owner's eyes alone
    try:
        with writing_to(scratch):
            made.mkdir()
            _write(loaded, made)
        if folder.exists():  # renamed before it is removed: a folder that is half removed has another name
            trash = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
            os.replace(folder, trash / folder.name)  # noqa: PTH105 -- the one call that is atomic on every system
            os.replace(made, folder)  # noqa: PTH105 -- as above
            shutil.rmtree(trash)
        else:
            os.replace(made, folder)  # noqa: PTH105 -- as above
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return folder


def _write(loaded: LoadedModel, folder: Path) -> None:
    """Weights (adapters merged, and beside them), configuration and tokenizer."""
    if has_adapters(loaded.model):
        loaded.model.config.save_pretrained(folder)
        loaded.model.save_pretrained(folder, state_dict=merged_weights(loaded.model))
        save_adapters(loaded.model, folder / "adapters")
    else:
        loaded.model.save_pretrained(folder)
    loaded.tokenizer.save_pretrained(folder)
