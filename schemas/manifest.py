"""verihub.toml: entry points, the declared reward vector, what the sandbox must grant."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from schemas.base import WireModel
from schemas.judge_model import JudgeNeeds, JudgePrompt
from schemas.kinds import PackageKind
from schemas.names import PackageId, Reference, RewardName, import_name
from schemas.sources import (
    CodeSource,
    DataFile,
    DataSource,
    EntryPoint,
    EntryPointField,
    PackageReference,
    PackageReferenceField,
)
from schemas.strict_toml import parse_toml
from schemas.suite import SuiteAdapter, SuiteFamily
from schemas.wording import nearest


class ManifestError(ValueError):
    """verihub.toml cannot be used. The message names the key and says what would be valid."""


class Isolation(StrEnum):
    """How much one call shares with the next, weakest isolation first. Hub and trainer may only raise it.

    - ``worker``: one process serves many calls.
    - ``batch``: one fork for each call group.
    - ``call``: one fork for each call.
    - ``box``: a fresh container for each call.
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
    """``score``: is added up. ``gate``: a value below its threshold makes the sum 0. ``metric``: is only logged."""

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
    """Values from this one on count as accepted in the audit's confusion matrix."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        low, high = self.range
        if not low < high:
            raise ValueError(f"range must be [low, high] with low < high, not [{low}, {high}]")
        if self.role is not RewardRole.METRIC and not low <= self.threshold <= high:
            raise ValueError(f"threshold {self.threshold} lies outside the range [{low}, {high}]")
        return self


GENERATE_SECONDS = 30.0
"""For a call that makes many tasks, where a package asks for nothing: the limit of a verdict is short for that."""


class SandboxNeeds(WireModel):
    """What the package's code needs, and the weakest isolation under which it works correctly."""

    isolation: Isolation = Isolation.CALL
    timeout_seconds: float = Field(default=5.0, gt=0, le=600)
    """Of one verdict, one call of a tool, one request of a session."""
    generate_timeout_seconds: float | None = Field(default=None, gt=0, le=600)
    """Of one call that has a function make tasks, cases or probes, up to 200 of them. None: ``GENERATE_SECONDS``, or
    ``timeout_seconds`` where that is longer.
    """
    memory_mb: int = Field(default=512, ge=32, le=16384)
    network: Literal[False] = False
    """Boxes have no network. The key exists so that asking for it gets a clear refusal."""

    @property
    def generate_seconds(self) -> float:
        """The limit of one call that makes tasks, cases or probes."""
        return self.generate_timeout_seconds or max(self.timeout_seconds, GENERATE_SECONDS)

    @property
    def longest_seconds(self) -> float:
        """The longest limit that the package asks for."""
        return max(self.timeout_seconds, self.generate_timeout_seconds or 0.0)


class ProbeSettings(WireModel):
    """Which generated families of probes apply. Empty ``families`` means all applicable ones."""

    families: list[str] = Field(default_factory=list)
    exclude: list[str] = Field(default_factory=list)
    register_: EntryPointField | None = Field(default=None, alias="register")
    """Entry point of the author's own probe generator."""
    pairs: DataSource | None = None
    """Metamorphic pairs: a file, or a function that makes them."""


class ImportedFrom(WireModel):
    """Which environment of another library a package is, as its author says."""

    source: str = Field(pattern=r"^[a-z][a-z0-9-]{0,39}:[^\x00-\x1f\x7f]+$", max_length=300)
    """As ``verihub import`` takes it: ``reasoning-gym:leg_counting``."""
    version: str = Field(default="", max_length=100)
    """The library's version."""

    @property
    def library(self) -> str:
        """The name of the source: ``reasoning-gym``."""
        return self.source.partition(":")[0]


class Manifest(WireModel):
    """The content of ``verihub.toml``. ``from_toml`` reads it and explains every refusal."""

    format: Literal[1]
    id: PackageId
    kind: PackageKind
    tasks: dict[str, DataSource] = Field(default_factory=dict)
    """Split name -> file inside the package or generator function."""
    verifier: CodeSource | None = None
    tools: list[CodeSource] = Field(default_factory=list)
    """References to tool packages, or entry points of this package's own functions."""
    session: EntryPointField | None = None
    harness: EntryPointField | None = None
    """For kind harness: the function that drives a model through an environment."""
    environments: list[PackageReferenceField] = Field(default_factory=list)
    """For kind benchmark: the environments that it pins."""
    harnesses: list[PackageReferenceField] = Field(default_factory=list)
    """For kind benchmark: which harnesses each environment is run under."""
    split: str | None = None
    """For kind benchmark: which split is evaluated (default ``test``)."""
    splits: list[str] = Field(default_factory=list, max_length=20)
    """For kind benchmark: several splits in place of one."""
    recipe: str | None = None
    """For kind recipe: a TOML file inside the package."""
    audit: list[DataSource] = Field(default_factory=list)
    examples: DataSource | None = None
    """Cases that are run once in a new box before it serves calls (warm-up). Default: the first audit cases."""
    probes: ProbeSettings = ProbeSettings()
    family: SuiteFamily | None = None
    """For kind suite: the family of tasks that its cases belong to."""
    judges: dict[SuiteFamily, SuiteAdapter] = Field(default_factory=dict)
    """The families of suites that the verifier can judge, each with how a case is adapted to it."""
    model: JudgeNeeds | None = None
    """For a verifier that asks a model: which one, and with which prompts."""
    allow_files: list[str] = Field(default_factory=list, max_length=20)
    """Paths inside the package that are packed although their names look like secrets."""
    tags: list[str] = Field(default_factory=list, max_length=20)
    imported: ImportedFrom | None = None
    """For a package that ``verihub import`` wrote: what it was before."""
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
    def own_verifier(self) -> EntryPoint | None:
        """The verifier's entry point when it lies in this package, else None."""
        return self.verifier if isinstance(self.verifier, EntryPoint) else None

    @property
    def foreign_verifier(self) -> Reference | None:
        """The other package's verifier that this one uses, if any."""
        return self.verifier.reference if isinstance(self.verifier, PackageReference) else None

    @property
    def own_tools(self) -> list[EntryPoint]:
        """Entry points among ``tools``."""
        return [tool for tool in self.tools if isinstance(tool, EntryPoint)]

    @property
    def foreign_tools(self) -> list[Reference]:
        """The other packages whose tools this one uses."""
        return [tool.reference for tool in self.tools if isinstance(tool, PackageReference)]

    @property
    def references(self) -> list[tuple[str, Reference]]:
        """Every other package that the manifest names, with its key in ``verihub.toml``."""
        named = [("verifier", self.foreign_verifier)] if self.foreign_verifier else []
        named += [("tools", reference) for reference in self.foreign_tools]
        named += [("environments", text.reference) for text in self.environments]
        return [*named, *(("harnesses", text.reference) for text in self.harnesses)]

    @property
    def stored_splits(self) -> dict[str, DataFile]:
        """The splits that are files in the package."""
        return {split: source for split, source in self.tasks.items() if isinstance(source, DataFile)}

    @property
    def generated_splits(self) -> dict[str, EntryPoint]:
        """The splits that are made by a function. They have no end."""
        return {split: source for split, source in self.tasks.items() if isinstance(source, EntryPoint)}

    @property
    def case_files(self) -> list[DataFile]:
        """The files of labelled cases among ``audit``."""
        return [source for source in self.audit if isinstance(source, DataFile)]

    @property
    def case_generators(self) -> list[EntryPoint]:
        """The functions among ``audit`` that make labelled cases."""
        return [source for source in self.audit if isinstance(source, EntryPoint)]

    @property
    def entry_points(self) -> dict[str, EntryPoint]:
        """Every function or class of this package that the manifest names, with its key in ``verihub.toml``."""
        named = {
            "verifier": self.verifier,
            "session": self.session,
            "harness": self.harness,
            "examples": self.examples,
            "probes.register": self.probes.register_,
            "probes.pairs": self.probes.pairs,
            **{f"tasks.{split}": source for split, source in self.tasks.items()},
            **{f"tools[{index}]": tool for index, tool in enumerate(self.tools)},
            **{f"audit[{index}]": source for index, source in enumerate(self.audit)},
        }
        return {key: point for key, point in named.items() if isinstance(point, EntryPoint)}

    @classmethod
    def from_toml(cls, text: str) -> Self:
        """Parse and validate. Raises :class:`ManifestError` with one line for each problem."""
        try:
            data = parse_toml(text)
        except ValueError as error:
            raise ManifestError(f"verihub.toml is not valid TOML: {error}") from None
        try:
            manifest = cls.model_validate(data)
        except ValidationError as error:
            raise ManifestError("\n".join(_explain(error))) from None
        _refuse_untrainable(manifest.rewards)
        _refuse_itself(manifest)
        return manifest

    @model_validator(mode="after")
    def _complete(self) -> Self:
        """Check that the kind's required keys are there."""
        missing = _missing_for_kind(self)
        if missing:
            raise ValueError(missing)
        for point in self.entry_points.values():
            if point.module.split(".")[0] != self.import_name:
                raise ValueError(f"{str(point)!r} must lie in this package's own import package, {self.import_name}")
        return self


# The required keys of each kind (one of them must be there), and the sentence that is shown when none is.
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
    PackageKind.SUITE: [
        (("audit",), 'a suite needs labelled cases: audit = ["cases.jsonl"]'),
        (("family",), 'a suite needs family = "short-number" (or another family of tasks)'),
    ],
}


def _missing_for_kind(manifest: Manifest) -> str:
    """One sentence about what ``manifest`` lacks for its kind, or empty."""
    for fields, sentence in _NEEDS[manifest.kind]:
        if not any(getattr(manifest, field) for field in fields):
            return sentence
    if manifest.split and manifest.splits:
        return "split names one split, splits several: keep one of the two"
    if manifest.model is not None and manifest.own_verifier is None:
        return "[model] is for a verifier of this package: it names none"
    judges = manifest.verifier is not None and manifest.foreign_verifier is None
    if judges and not manifest.rewards:
        return "declare what verify returns: at least one [rewards.NAME] table"
    return ""


_LARGEST = 1e9
"""Of a range and a weight: the square of their product still fits a float32, in which trainers compute a variance."""


def _refuse_untrainable(rewards: Mapping[str, RewardDeclaration]) -> None:
    """Only where an author writes: a release that is there already stays readable."""
    lines = [
        f"verihub.toml: rewards.{name}: range and weight must lie between -{_LARGEST:.0e} and {_LARGEST:.0e}, or "
        "training would overflow: divide the reward by a constant"
        for name, reward in rewards.items()
        if max(map(abs, (*reward.range, reward.weight))) > _LARGEST
    ]
    if lines:
        raise ManifestError("\n".join(lines))


def _refuse_itself(manifest: Manifest) -> None:
    """A package that names itself could be published, and then neither measured nor used."""
    for key, reference in manifest.references:
        if reference.package == manifest.id:
            own = f'; a function of its own is verifier = "{manifest.import_name}:verify"' if key == "verifier" else ""
            raise ManifestError(f"verihub.toml: {key}: {reference} is this package itself: name another{own}")


def _explain(error: ValidationError) -> list[str]:
    """Pydantic's errors as sentences that an author can act on, with a suggestion for unknown keys."""
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
    if parents[:1] == ["judges"]:
        known["judges"] = SuiteAdapter
    known["model"] = JudgePrompt if parents[:2] == ["model", "prompts"] else JudgeNeeds
    model: type[WireModel] = known.get(parents[0], Manifest) if parents else Manifest
    names = [field.alias or name for name, field in model.model_fields.items()]
    hint = f"; {nearest(key, names, what='known keys:')}"
    return f"verihub.toml: unknown key {'.'.join([*parents, key])}{hint}"
