"""A generated split has no end: whoever asks for all of it is told, instead of waiting for ever."""

from pathlib import Path

import pytest

from hub_client.adapters import nemo_gym, trl, verl
from hub_client.environments import Environment
from hub_client.errors import UsageError
from hub_client.releases.resolve import LoadedPackage
from schemas.wheels.wheel import read_wheel
from tests.fakes.runner import FakeRunner
from tests.making.wheel import MANIFEST, make_wheel

GENERATED = MANIFEST.replace(
    'tasks = { train = "tasks.jsonl" }', 'tasks = { train = "alice_small_sums:generate", stored = "tasks.jsonl" }'
)


@pytest.fixture
def env():
    contents = read_wheel(make_wheel(manifest=GENERATED))
    package = LoadedPackage("alice/small-sums", "1.0.0", contents.digest, Path("x.whl"), contents)
    endless = [{"id": str(number), "prompt": "?", "answer": number} for number in range(5000)]
    runner = FakeRunner(None, endless)
    return Environment(package, package, lambda: runner)


@pytest.mark.parametrize("adapter", [trl, verl, nemo_gym])
def test_all_rows_of_a_generated_split_are_refused_and_some_are_given(adapter, env) -> None:
    with pytest.raises(UsageError, match="without end: say how many with limit=1000"):
        adapter.dataset_rows(env, "train")
    assert len(adapter.dataset_rows(env, "train", limit=7)) == 7
    assert len(adapter.dataset_rows(env, "stored")) == 2
