"""What both trainers are measured with here: device, model and project; and TRL, in an environment of its own."""

import site
import subprocess
import sys
import venv
from pathlib import Path

from work import PROJECT, project_with_drawn_rewards

TRL = "trl==1.16.0"
_STAND_IN = "stand-in of "


def pick_project(folder: Path, model: str) -> tuple[Path, str]:
    """The project that both train on, and whose rewards it gives. For random weights it is made in ``folder``."""
    if model.startswith(_STAND_IN):
        return project_with_drawn_rewards(folder), "a number drawn from each answer's text"
    return PROJECT, "the verifier's"


def pick_device(name: str) -> str:
    """``auto``: a GPU where there is one."""
    import torch  # noqa: PLC0415

    return ("cuda" if torch.cuda.is_available() else "cpu") if name == "auto" else name


def pick_dtype(device: str) -> str:
    """What the trainer's setting ``auto`` takes here: bfloat16 on a GPU and on CPUs that are faster at it."""
    import torch  # noqa: PLC0415

    from trainer_bridge.models.devices import pick_dtype as pick  # noqa: PLC0415

    return str(pick("auto", torch.device(device), is_tiny=False)).removeprefix("torch.")


def environment(folder: Path) -> str:
    """The interpreter of an environment with TRL, which sees the packages that are installed here."""
    python, mark = folder / "bin" / "python", folder / "requirements.txt"
    here = [path for path in sys.path if path.endswith("site-packages")]
    wanted = "\n".join([TRL, *here])
    if not mark.is_file() or mark.read_text(encoding="utf-8") != wanted:
        print(f"installing {TRL} …", file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True)
        own = folder / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
        (own / "beside.pth").write_text("\n".join([*here, *site.getsitepackages()]), encoding="utf-8")
        done = subprocess.run([python, "-m", "pip", "install", "-q", TRL], check=False, stdout=sys.stderr)
        if done.returncode:
            sys.exit(f"error: pip could not install {TRL}")
        mark.write_text(wanted, encoding="utf-8")
    return str(python)


def find_model(folder: Path) -> tuple[Path, str]:
    """SmolLM2-135M where it can be had, else a model of its shape with random weights; and what it is."""
    import platformdirs  # noqa: PLC0415

    from trainer_bridge.errors import ModelError  # noqa: PLC0415
    from trainer_bridge.models.smollm2 import smollm2_folder  # noqa: PLC0415

    try:
        cache = platformdirs.user_cache_path("verihub")
        return smollm2_folder(cache, lambda text: print(text, file=sys.stderr)), "SmolLM2-135M"
    except ModelError as error:
        print(f"note: {error}", file=sys.stderr)
        return stand_in(folder / "model"), f"{_STAND_IN}SmolLM2-135M's shape, random weights"


def stand_in(folder: Path, **sizes: int) -> Path:
    """A Llama of SmolLM2-135M's sizes, or of others, with the tiny model's tokenizer."""
    from transformers import LlamaConfig, LlamaForCausalLM  # noqa: PLC0415

    from trainer_bridge.models.tiny import tiny_tokenizer  # noqa: PLC0415

    tokenizer = tiny_tokenizer()
    shape = {"vocab_size": 49152, "hidden_size": 576, "intermediate_size": 1536, "num_hidden_layers": 30,
             "num_attention_heads": 9, "num_key_value_heads": 3, "max_position_embeddings": 2048}  # fmt: skip
    ids = {"bos_token_id": None, "eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id}
    LlamaForCausalLM(LlamaConfig(**{**shape, **sizes, **ids}, tie_word_embeddings=True)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
