"""An engine of its own for tests that harm engines, and sandboxes over it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sandbox.backends.docker.backend import DockerBackend
from sandbox.backends.docker.engine import DockerEngine
from sandbox.blocking import BlockingSandbox
from sandbox.checks.harm.own_engine import OwnEngine, what_is_missing
from sandbox.images.base import ensure_base
from sandbox.images.settings import ImageSettings
from sandbox.settings import SandboxSettings


@pytest.fixture(scope="session")
def engine_alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnEngine]:
    missing = what_is_missing()
    if missing:
        pytest.skip(f"no engine of one's own: {missing}")
    shared = DockerEngine()
    base = ensure_base(shared, ImageSettings()).references[0]
    shared.close()
    engine = OwnEngine(tmp_path_factory.mktemp("engine"))
    engine.mount()
    try:
        engine.start()
        engine.load(base)
        yield engine
    finally:
        engine.stop()
        engine.unmount()


@pytest.fixture
def own_engine(engine_alone: OwnEngine) -> Iterator[OwnEngine]:
    """Alive before and after each test."""
    yield engine_alone
    engine_alone.free_disk()
    engine_alone.stop()
    engine_alone.start()
    assert engine_alone.boxes() == []


class Rig:
    """A sandbox over the tests' own engine. ``close_seconds`` says how long its end took."""

    def __init__(self, engine: OwnEngine, cache: Path, **knobs: object) -> None:
        knobs = {"boxes_per_package": 2, "replay_fraction": 0.0, "docker_timeout_seconds": 20.0, **knobs}
        self.settings = SandboxSettings(docker_url=engine.url, **knobs)  # type: ignore[arg-type]
        self.backend = DockerBackend(self.settings, ImageSettings(cache_folder=cache, registry_image=""))
        self.sandbox = BlockingSandbox(self.backend, self.settings)
        self.engine = engine


@pytest.fixture
def rig(own_engine: OwnEngine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    """Makes sandboxes: ``with rig(host_retries=1) as made: …``."""
    cache = own_engine.folder / "cache"

    @contextmanager
    def make(**knobs: object) -> Iterator[Rig]:
        made = Rig(own_engine, cache, **knobs)
        with made.sandbox:
            yield made

    return make
