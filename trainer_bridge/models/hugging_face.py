"""Fetches models by name from the Hugging Face hub."""

from pathlib import Path

from trainer_bridge.errors import ModelError, ModelUnreachableError, UnknownModelError
from trainer_bridge.models.names import split_revision

_FILES = ["*.json", "*.safetensors", "*.jinja", "*.model", "merges.txt", "vocab.txt"]
"""The files that are fetched. Weights in Python's pickle format are not among them: loading those can run code."""


def fetched_folder(name: str, *, offline: bool = False) -> Path:
    """The local folder of model ``OWNER/NAME[@REVISION]``. The folder's name is the commit of the revision.

    The hub is always asked for the present commit, even if the model was fetched before. If it cannot be reached, or
    with ``offline``, the copy from before is used. The access token is that of ``hf auth login``, or HF_TOKEN.

    Raises:
        UnknownModelError: there is no such model, revision, or right to see it.
        ModelUnreachableError: the hub cannot be reached, and nothing was fetched before.
        ModelError: it has no weights in the format safetensors.

    """
    from huggingface_hub import snapshot_download  # noqa: PLC0415 -- importing it takes half a second
    from huggingface_hub.errors import (  # noqa: PLC0415
        GatedRepoError,
        HfHubHTTPError,
        LocalEntryNotFoundError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    model, revision = split_revision(name)
    try:
        folder = Path(
            snapshot_download(model, revision=revision or None, allow_patterns=_FILES, local_files_only=offline)
        )
    except GatedRepoError as error:
        raise UnknownModelError(f"--model {name}: accept its terms on its page first, then `hf auth login`") from error
    except RepositoryNotFoundError as error:
        raise UnknownModelError(
            f"--model {name} is neither a folder with transformers' config.json nor a model of the Hugging Face hub "
            "that you may see (private ones: `hf auth login`)"
        ) from error
    except RevisionNotFoundError as error:
        raise UnknownModelError(f"--model {name}: the model has no revision {revision!r}") from error
    except (LocalEntryNotFoundError, HfHubHTTPError, OSError) as error:
        if offline:
            raise ModelUnreachableError(
                f"--model {name} is no folder here, and it was not fetched before: --offline forbids fetching it"
            ) from None
        raise ModelUnreachableError(
            f"--model {name} is no folder here, and it could not be fetched from the Hugging Face hub: "
            f"{_first_line(error)}. Without a network, name a folder in transformers' format, or smollm2"
        ) from error
    if not any(folder.glob("*.safetensors")):
        raise ModelError(f"--model {name} has no weights in the format safetensors, and no other is read")
    return folder


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__
