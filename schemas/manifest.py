"""verihub.toml: entry points, the declared reward vector, what the sandbox must grant."""

import difflib
import re
import tomllib
from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, ValidationError, model_validator

from schemas.base import WireModel
from schemas.kinds import PackageKind
from schemas.names import PackageId, Reference, RewardName, import_name

_ENTRY_POINT = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")


class ManifestError(ValueError):
    """verihub.toml cannot be used; the message names the key and says what would be right."""


class Isolation(StrEnum):
    """How much one call shares with the next, weakest first. Hub and trainer may only raise it.

    ``worker``: a process serves many calls. ``batch``: one fork a group. ``call``: one fork a call.
    ``box``: a fresh container a call.
    """

    WORKER = "worker"
    BATCH = "batch"
    CALL = "call"
    BOX = "box"

    @property
    def strength(self) -> int:
        """0 for the weakest to 3 for the strongest."""
        return _STRENGTHS[self]

    def raised_to(self, other: "Isolation | None") -> "Isolation":
        """The stronger of the two."""
        return other if other is not None and other.strength > self.strength else self


_STRENGTHS = {level: number for number, level in enumerate(Isolation)}


class RewardRole(StrEnum):
    """score: adds up · gate: 0 here zeroes the sum · metric: only logged."""

    SCORE = "score"
    GATE = "gate"
    METRIC = "metric"


class RewardDeclaration(WireModel):
    """One named component of the vector that ``verify`` returns."""

    description: str = ""
    range: tuple[float, float] = (0.0, 1.0)
    role: RewardRole = RewardRole.SCORE
    weight: float = 1.0
    threshold: float = 0.5
    """At or above counts as accepted in the audit's confusion matrix."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        low, high = self.range
        if not low < high:
            raise ValueError(f"range must be [low, high] with low < high, not [{low}, {high}]")
        if self.role is not RewardRole.METRIC and not low <= self.threshold <= high:
            raise ValueError(f"threshold {self.threshold} lies outside the range [{low}, {high}]")
        return self


def check_entry_point(text: str) -> str:
    """Return ``text`` when it is ``module.path:name``."""
    if not _ENTRY_POINT.fullmatch(text):
        raise ValueError(f"{text!r} is not module:function, for example lecture_change_making:verify")
    return text


EntryPoint = Annotated[str, AfterValidator(check_entry_point)]


def _check_verifier(text: str) -> str:
    return str(Reference.parse(text)) if "/" in text else check_entry_point(text)


def _check_reference(text: str) -> str:
    return str(Reference.parse(text))


def _check_data_path(text: str) -> str:
    """A task or case source: a file inside the import package, or a generator's entry point."""
    if ":" in text:
        return check_entry_point(text)
    parts = text.split("/")
    if text.startswith("/") or "\\" in text or any(part in ("", ".", "..") for part in parts):
        raise ValueError(f"{text!r} must be a path inside the package, with forward slashes and no ..")
    if not text.endswith((".jsonl", ".parquet")):
        raise ValueError(f"{text!r} must end in .jsonl or .parquet, or be a generator such as pkg:generate")
    return text


ReferenceText = Annotated[str, AfterValidator(_check_reference)]
DataPath = Annotated[str, AfterValidator(_check_data_path)]


class SandboxNeeds(WireModel):
    """What the package's code needs, and the weakest isolation it is correct under."""

    isolation: Isolation = Isolation.CALL
    timeout_seconds: float = Field(default=5.0, gt=0, le=600)
    memory_mb: int = Field(default=512, ge=32, le=16384)
    network: Literal[False] = False
    """Boxes have no network; the key exists so that asking for it gives a clear refusal."""


class ProbeSettings(WireModel):
    """Which generated audit families apply. Empty ``families`` means every applicable one."""

    families: list[str] = Field(default_factory=list)
    exclude: list[str] = Field(default_factory=list)
    register_: str | None = Field(default=None, alias="register")
    """Entry point of the author's own probe generator."""


class Manifest(WireModel):
    """The content of ``verihub.toml``. ``from_toml`` reads it and explains every refusal."""

    format: Literal[1]
    id: PackageId
    kind: PackageKind
    tasks: dict[str, DataPath] = Field(default_factory=dict)
    """Split name -> file inside the package or generator function."""
    verifier: Annotated[str, AfterValidator(_check_verifier)] | None = None
    tools: list[str] = Field(default_factory=list)
    """References to tool packages, or entry points of this package's own functions."""
    session: EntryPoint | None = None
    harness: EntryPoint | None = None
    """For kind harness: the function that drives a model through an environment."""
    environments: list[ReferenceText] = Field(default_factory=list)
    """For kind benchmark: what it pins."""
    harnesses: list[ReferenceText] = Field(default_factory=list)
    """For kind benchmark: which harnesses each environment is run under."""
    split: str | None = None
    """For kind benchmark: which split is evaluated (default ``test``)."""
    splits: list[str] = Field(default_factory=list, max_length=20)
    """For kind benchmark: several splits in place of one."""
    recipe: str | None = None
    """For kind recipe: a TOML file inside the package."""
    audit: list[DataPath] = Field(default_factory=list)
    examples: DataPath | None = None
    """Cases run once in a new box before it serves calls (warm-up); default: the first audit cases."""
    probes: ProbeSettings = ProbeSettings()
    tags: list[str] = Field(default_factory=list, max_length=20)
    rewards: dict[RewardName, RewardDeclaration] = Field(default_factory=dict)
    sandbox: SandboxNeeds = SandboxNeeds()

    @property
    def import_name(self) -> str:
        """The wheel's only top-level import package."""
        return import_name(self.id)

    @property
    def evaluated_splits(self) -> tuple[str, ...]:
        """The splits that a benchmark evaluates."""
        return tuple(self.splits) or (self.split or "test",)

    @property
    def foreign_verifier(self) -> Reference | None:
        """The other package's verifier that this one uses, if any."""
        if self.verifier and "/" in self.verifier:
            return Reference.parse(self.verifier)
        return None

    @property
    def own_tools(self) -> list[str]:
        """Entry points among ``tools``."""
        return [tool for tool in self.tools if ":" in tool and "/" not in tool]

    @property
    def foreign_tools(self) -> list[Reference]:
        """The other packages whose tools this one uses."""
        return [Reference.parse(tool) for tool in self.tools if "/" in tool]

    @classmethod
    def from_toml(cls, text: str) -> Self:
        """Parse and validate. Raises :class:`ManifestError` with one line a problem."""
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise ManifestError(f"verihub.toml is not valid TOML: {error}") from None
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise ManifestError("\n".join(_explain(error))) from None

    @model_validator(mode="after")
    def _complete(self) -> Self:
        """Each kind brings what it cannot do without."""
        missing = _missing_for_kind(self)
        if missing:
            raise ValueError(missing)
        for point in (self.verifier, self.session, self.harness, *self.tools, *self.tasks.values()):
            if point and ":" in point and "/" not in point and "@" not in point:
                module = point.split(":")[0].split(".")[0]
                if module != self.import_name:
                    raise ValueError(f"{point!r} must lie in this package's own import package, {self.import_name}")
        return self


# What a kind cannot do without: the fields of which one must be there, and the sentence when none is.
_NEEDS: dict[PackageKind, list[tuple[tuple[str, ...], str]]] = {
    PackageKind.ENVIRONMENT: [
        (("tasks",), 'an environment needs tasks, for example tasks = { train = "tasks.jsonl" }'),
        (("verifier", "session"), "an environment needs a verifier (or a session that returns rewards)"),
    ],
    PackageKind.VERIFIER: [(("verifier",), 'a verifier package needs verifier = "package:function"')],
    PackageKind.TOOL: [(("tools",), 'a tool package needs tools = ["package:function"]')],
    PackageKind.HARNESS: [(("harness",), 'a harness package needs harness = "package:function"')],
    PackageKind.BENCHMARK: [(("environments",), 'a benchmark needs environments = ["owner/name@version"]')],
    PackageKind.RECIPE: [(("recipe",), 'a recipe package needs recipe = "recipe.toml"')],
}


def _missing_for_kind(manifest: Manifest) -> str:
    """One sentence about what ``manifest`` lacks for its kind, or empty."""
    for fields, sentence in _NEEDS[manifest.kind]:
        if not any(getattr(manifest, field) for field in fields):
            return sentence
    if manifest.split and manifest.splits:
        return "split names one split, splits several: keep one of the two"
    judges = manifest.verifier is not None and manifest.foreign_verifier is None
    if judges and not manifest.rewards:
        return "declare what verify returns: at least one [rewards.NAME] table"
    return ""


def _explain(error: ValidationError) -> list[str]:
    """Pydantic's errors as sentences an author can act on, with did-you-mean for unknown keys."""
    lines = []
    for item in error.errors():
        where = ".".join(str(part) for part in item["loc"])
        if item["type"] == "extra_forbidden":
            lines.append(_unknown_key(item["loc"]))
        elif item["type"] == "missing":
            lines.append(f"verihub.toml: {where} is missing")
        else:
            message = item["msg"].removeprefix("Value error, ")
            lines.append(f"verihub.toml: {where + ': ' if where else ''}{message}")
    return lines


def _unknown_key(location: tuple[Any, ...]) -> str:
    """``unknown key``, with the nearest known one."""
    *parents, key = [str(part) for part in location]
    known: dict[str, type[WireModel]] = {"rewards": RewardDeclaration, "sandbox": SandboxNeeds, "probes": ProbeSettings}
    model: type[WireModel] = known.get(parents[0], Manifest) if parents else Manifest
    names = [field.alias or name for name, field in model.model_fields.items()]
    near = difflib.get_close_matches(key, names, n=1)
    hint = f"; did you mean {near[0]}?" if near else f"; known keys: {', '.join(names)}"
    return f"verihub.toml: unknown key {'.'.join([*parents, key])}{hint}"
