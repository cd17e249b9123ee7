"""Every project of the collection, packed once a run and judged by its own code."""

import importlib
import importlib.util
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import pytest

from hub_client.packaging.pack import PackedWheel, pack
from hub_client.releases.cache import Cache
from sandbox.backends import make_backend
from sandbox.blocking import BlockingSandbox
from sandbox.interface import Source
from sandbox.settings import SandboxSettings
from schemas.evidence.cases import AuditCase
from schemas.manifest import Manifest

ROOT = Path(__file__).parents[2]
COLLECTION = ROOT / "collection"
FOLDERS = sorted(path.parent for path in COLLECTION.rglob("pyproject.toml"))
Judge = Callable[..., bool]
SETTINGS = SandboxSettings(trust_local_code=True, replay_fraction=0.0, boxes_per_package=1)


@dataclass(frozen=True)
class Project:
    """One folder of the collection."""

    folder: Path

    @property
    def name(self) -> str:
        return str(self.folder.relative_to(COLLECTION))

    @property
    def data(self) -> Path:
        """The import package."""
        return next(path.parent for path in (self.folder / "src").glob("*/verihub.toml"))

    @cached_property
    def manifest(self) -> Manifest:
        return Manifest.from_toml((self.data / "verihub.toml").read_text())

    def rows(self, name: str) -> list[dict[str, Any]]:
        with (self.data / name).open() as lines:  # not splitlines: a text may hold U+2028
            return [json.loads(line) for line in lines]

    @cached_property
    def tasks(self) -> list[dict[str, Any]]:
        """The rows of every split that is a file."""
        return [row for where in self.manifest.tasks.values() if ":" not in where for row in self.rows(where)]

    @cached_property
    def cases(self) -> list[AuditCase]:
        return [AuditCase.model_validate(row) for name in self.manifest.case_files for row in self.rows(name)]


PROJECTS = {project.name: project for project in map(Project, FOLDERS)}


@pytest.fixture(params=sorted(PROJECTS))
def project(request: pytest.FixtureRequest) -> Project:
    return PROJECTS[request.param]


@pytest.fixture(params=sorted(name for name, project in PROJECTS.items() if project.manifest.verifier))
def judging_project(request: pytest.FixtureRequest) -> Project:
    """One that has a verifier; harnesses, recipes and benchmarks have none."""
    return PROJECTS[request.param]


@pytest.fixture(scope="session")
def packed(tmp_path_factory: pytest.TempPathFactory) -> "PackedCollection":
    return PackedCollection(tmp_path_factory.mktemp("collection"))


class PackedCollection:
    """The wheels, each built when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._wheels: dict[str, PackedWheel] = {}

    def wheel(self, name: str) -> PackedWheel:
        if name not in self._wheels:
            self._wheels[name] = pack(PROJECTS[name].folder, Cache(self._folder / "cache"))
        return self._wheels[name]

    def source(self, name: str) -> Source:
        wheel = self.wheel(name)
        folder = self._folder / name.replace("/", "-")
        folder.mkdir(exist_ok=True)
        path = folder / wheel.file_name
        path.write_bytes(wheel.data)
        return Source(wheel.digest, path, wheel.contents.manifest)


@pytest.fixture(scope="session")
def local_sandbox() -> Iterator[BlockingSandbox]:
    """No isolation: this is our own code. Code that a model wrote runs in Docker only."""
    with BlockingSandbox(make_backend("local", SETTINGS), SETTINGS) as sandbox:
        yield sandbox


@pytest.fixture(scope="session")
def docker_sandbox() -> Iterator[BlockingSandbox]:
    with BlockingSandbox(make_backend("docker", SETTINGS), SETTINGS) as sandbox:
        yield sandbox


@pytest.fixture(scope="session")
def tasks_by_id() -> Mapping[str, Mapping[str, dict[str, Any]]]:
    """Project -> task id -> task."""
    return {name: {row["id"]: row for row in project.tasks} for name, project in PROJECTS.items()}


@pytest.fixture(scope="session")
def projects() -> Mapping[str, Project]:
    return PROJECTS


@contextmanager
def imported(project: Project) -> Iterator[Any]:
    """The import package of a project, from its folder, for as long as it is needed: no box is."""
    source = str(project.folder / "src")
    sys.path.insert(0, source)
    yield importlib.import_module(project.data.name)
    while source in sys.path:
        sys.path.remove(source)
    for name in [name for name in sys.modules if name.partition(".")[0] == project.data.name]:
        del sys.modules[name]


@pytest.fixture(scope="module")
def package(request: pytest.FixtureRequest) -> Iterator[Any]:
    """The package of the project that the test module names as ``PROJECT``."""
    with imported(PROJECTS[request.module.PROJECT]) as module:
        yield module


@pytest.fixture(scope="module")
def package_of() -> Iterator[Callable[[str], Any]]:
    """The package of any project, by the project's name. Imported once a module of tests, as for ``accepts``."""
    with ExitStack() as stack:
        yield cache(lambda name: stack.enter_context(imported(PROJECTS[name])))


@pytest.fixture(scope="module")
def accepts() -> Iterator[Judge]:
    """Whether lecture/math-answer takes a response for the right answer: gold, response, prompt.

    Imported once a module of tests: its patterns take longer to compile than an answer to judge.
    """

    with imported(PROJECTS["math-answer"]) as package:

        def judge(gold: str, response: str, prompt: str = "") -> bool:
            return package.verify({"id": "t", "prompt": prompt, "answer": gold}, response)["correct"] == 1.0

        yield judge


@pytest.fixture(scope="module")
def agents(request: pytest.FixtureRequest, package: Any) -> Any:
    """The scripted agents of that project, which lie beside its package."""
    project = PROJECTS[request.module.PROJECT]
    spec = importlib.util.spec_from_file_location(f"{package.__name__}_agents", project.folder / "agents.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def part(package: Any) -> Callable[[str], Any]:
    """A module of that package, by name."""
    return lambda name: importlib.import_module(f"{package.__name__}.{name}")


@pytest.fixture(scope="module")
def tasks(request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    """The test split of the project that the test module names."""
    return PROJECTS[request.module.PROJECT].rows("test.jsonl")
