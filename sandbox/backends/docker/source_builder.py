"""Builds dependencies from source on this machine's engine."""

from collections.abc import Sequence

from sandbox.backends.docker.engine import DockerEngine
from sandbox.images.settings import ImageSettings
from sandbox.images.source_builds import build_from_source
from sandbox.images.source_wheel import BuiltWheel
from sandbox.settings import SandboxSettings


def build_source(requirement: str, python: str, digests: Sequence[str] = ()) -> BuiltWheel:
    """As :func:`~sandbox.images.source_builds.build_from_source`, on the engine that boxes run on."""
    settings = SandboxSettings()
    engine = DockerEngine(settings.docker_url, settings.docker_timeout_seconds)
    try:
        engine.check_fitness()
        return build_from_source(engine, ImageSettings(), requirement, python, digests)
    finally:
        engine.close()
