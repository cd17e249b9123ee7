"""Checks the name given to ``--model``, without importing torch."""

import re
from pathlib import Path

from schemas.wording import suggestion
from trainer_bridge.errors import UnknownModelError

KNOWN = ("smollm2", "tiny")
_ON_A_HUB = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*(@[\w.-]+)?", re.ASCII)


def check_model_name(name: str) -> None:
    """Refuse a name that cannot be a model's.

    Raises:
        UnknownModelError: it is no known model, no folder in transformers' format, and no OWNER/NAME.

    """
    if name not in KNOWN and not (Path(name) / "config.json").is_file() and not is_on_a_hub(name):
        meant = suggestion(name, KNOWN)
        hint = f"; {meant}" if meant else ""
        raise UnknownModelError(
            f"--model {name} is neither smollm2, tiny, OWNER/NAME on the Hugging Face hub, nor a folder with "
            f"transformers' config.json{hint}. A model that a server offers: `verihub eval --endpoint URL`"
        )


def is_on_a_hub(name: str) -> bool:
    """Whether ``name`` has the form OWNER/NAME[@REVISION] and is no local path."""
    return _ON_A_HUB.fullmatch(name) is not None and not Path(name).exists()


def split_revision(name: str) -> tuple[str, str]:
    """(OWNER/NAME, revision). The revision is empty if none is given."""
    model, _, revision = name.partition("@")
    return model, revision
