"""Sandboxes over the tests' own engine, which they may harm."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sandbox.backends.docker.backend import DockerBackend
from sandbox.blocking import BlockingSandbox
from sandbox.checks.harm.own_engine import OwnEngine
from sandbox.images.settings import ImageSettings
from sandbox.settings import SandboxSettings


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
