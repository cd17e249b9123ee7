"""A verifier that asks a model: what its manifest declares, what was asked for one verdict, what a run has used."""

import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Annotated, Self

from pydantic import Field, model_validator

from schemas.base import WireModel
from schemas.names import digest_of
from schemas.task import canonical_json

ANY_MODEL = "any"
"""As the name of a model in a manifest: whichever model the operator or the user offers."""
_PLACE = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_CONTROL = re.compile(
    r"<(?=[|\uff5c]|/?[A-Za-z_\d][\w:.-]*>)|\[(?=\||e~|/?[A-Z_]+\d*\]|[gs]MASK\]|unused\d+\])|\](?=~)"
)
"""How control tokens of chat templates begin: ``<|im_end|>``, ``</s>``, ``<2>``, ``[INST]``, ``[|user|]``, ``]~b]``."""
PromptName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]*$", max_length=60)]


class JudgePrompt(WireModel):
    """A prompt template. ``{name}`` is replaced by a value that the verifier hands in; nothing else is replaced."""

    system: str = Field(default="", max_length=20_000)
    user: str = Field(min_length=1, max_length=20_000)

    @property
    def digest(self) -> str:
        """``sha256:…`` of both texts."""
        return digest_of(canonical_json(self.model_dump()))

    @property
    def places(self) -> frozenset[str]:
        """The names that it expects values for."""
        return frozenset(_PLACE.findall(self.system)) | frozenset(_PLACE.findall(self.user))

    def messages(self, values: Mapping[str, str]) -> list[dict[str, str]]:
        """The messages to send. Every value stands between two marks that it cannot contain: see :func:`fenced`.

        Raises ValueError for values that are missing or not expected.
        """
        if self.places != set(values):
            missing, extra = sorted(self.places - set(values)), sorted(set(values) - self.places)
            said = [f"{', '.join(missing)} is missing"] if missing else []
            said += [f"{', '.join(extra)} has no place in the prompt"] if extra else []
            raise ValueError("; ".join(said))

        def filled(template: str) -> str:
            return _PLACE.sub(lambda found: fenced(found[1], values[found[1]]), template)

        system = [{"role": "system", "content": filled(self.system)}] if self.system else []
        return [*system, {"role": "user", "content": filled(self.user)}]


def fenced(name: str, value: str) -> str:
    """``value`` as data in a prompt.

    It stands between two marks that hold a digest of it: a text cannot contain its own digest, so it cannot end its
    part of the prompt early. What looks like a control token of a chat template gets a space behind its first
    character, so that no tokenizer reads it as the end of a turn.
    """
    harmless = _CONTROL.sub(lambda found: found[0] + " ", value)
    mark = sha256(value.encode("utf-8", "replace")).hexdigest()[:12]
    return f"[{name} {mark}]\n{harmless}\n[end of {name} {mark}]"


class JudgeNeeds(WireModel):
    """What a verifier asks a model: ``[model]`` in ``verihub.toml``."""

    name: str = Field(default=ANY_MODEL, min_length=1, max_length=200)
    """The model that the verifier is made for. ``any``: whichever is offered."""
    calls: int = Field(default=1, ge=1, le=64)
    """The most model calls for one verdict."""
    max_tokens: int = Field(default=256, ge=1, le=8192)
    """The longest answer."""
    seed: int = Field(default=0, ge=0)
    """Sent with every model call. The temperature is always 0."""
    prompts: dict[PromptName, JudgePrompt] = Field(min_length=1, max_length=50)
    """Prompt templates by name. A verifier can send nothing else."""

    @model_validator(mode="after")
    def _has_places(self) -> Self:
        empty = [name for name, prompt in self.prompts.items() if not prompt.places]
        if empty:
            raise ValueError(f"prompt {empty[0]} has no place such as {{response}}: it would always be the same text")
        return self


class JudgeCall(WireModel):
    """One model call, as it was made for a verdict."""

    model: str
    prompt: str
    """The template's name in the manifest."""
    prompt_digest: str
    key: str
    """``sha256:…`` of model, messages and parameters. Equal keys get equal answers: from the cache."""
    messages: list[dict[str, str]]
    answer: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached: bool = False


class JudgeUse(WireModel):
    """What a run or an audit has asked of a model, and what it might. Cost is in the currency of the prices given."""

    model: str
    calls: int = 0
    """Model calls that the model answered. Those answered from the cache are not among them."""
    cached: int = 0
    refused: int = 0
    """Model calls without a usable answer: verdicts that are not judged."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    most_calls: int = 0
    most_tokens: int = 0
    most_cost: float | None = None
