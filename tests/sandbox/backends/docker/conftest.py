from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.docker_engine import ScriptedEngine


@pytest.fixture
def scripted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ScriptedEngine]:
    """An engine in this process that answers as told."""
    folder: Path = tmp_path_factory.mktemp("e")  # a socket's path is short
    with ScriptedEngine(folder).listening() as engine:
        yield engine
