"""A tiny model, a hub in memory, and one thread: two test workers on two cores must not fight over them."""

import asyncio
from types import SimpleNamespace

import pytest
import torch

from schemas.manifest import Manifest, RewardDeclaration
from schemas.verdict import Verdict
from tests.fakes.runs import FakeRuns
from trainer_bridge.build import open_parts
from trainer_bridge.models.loaded_model import LoadedModel, load_model
from trainer_bridge.recipe import load_recipe
from trainer_bridge.reports.step_report import NoProgress
from trainer_bridge.settings import TrainSettings


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(autouse=True)
def same_draws():
    """Every test draws the same numbers, whatever ran before it in this process."""
    torch.manual_seed(0)


@pytest.fixture
def tiny(tmp_path) -> LoadedModel:
    return load_model("tiny", dtype=torch.float32, device=torch.device("cpu"), cache=tmp_path)


class FakeEnvironment:
    """An environment whose verifier is a plain function of (task, response); verdicts come back in odd order."""

    version, digest = "1.0.0", "sha256:" + "0" * 64
    tool_packages = ()

    def __init__(self, name="test/digits", verify=None, rewards=None, tasks=40, splits=("train",)):
        self.rewards = rewards or {"digits": RewardDeclaration()}
        self.verify = verify or share_of_digits
        self.manifest = Manifest(
            format=1,
            id=name,
            kind="environment",
            tasks=dict.fromkeys(splits, "tasks.jsonl"),
            verifier=f"{name.replace('/', '_').replace('-', '_')}:verify",
            rewards=self.rewards,
        )
        self.judge = SimpleNamespace(
            reference=f"{name}@1.0.0", package=name, version="1.0.0", digest=self.digest, release=None
        )
        self.count, self.closed, self.scored = tasks, False, []

    def tasks(self, split, *, seed=0, start=0, limit=None):
        del seed
        for index in range(start, min(self.count, start + (limit or self.count))):
            yield {"id": f"{split}-{index}", "prompt": f"Say {index}.", "answer": index, "split": split}

    async def score_stream(self, pairs):
        held = []
        index = 0
        async for task, response in pairs:
            text = response if isinstance(response, str) else response.messages[-1]["content"]
            self.scored.append(text)
            held.append((index, self.verdict_of(task, text)))
            index += 1
            if len(held) == 3:
                for item in reversed(held):
                    yield item
                held = []
            await asyncio.sleep(0)
        for item in held:
            yield item

    def verdict_of(self, task, response):
        result = self.verify(task, response)
        return result if isinstance(result, Verdict) else Verdict(rewards=result)

    def close(self):
        self.closed = True


def share_of_digits(task, response):
    return {"digits": sum(character.isdigit() for character in response) / max(len(response), 1)}


class FakeHub:
    is_offline = False

    def __init__(self, *environments):
        self.environments = {
            environment.manifest.id: environment for environment in environments or [FakeEnvironment()]
        }
        self.runs = FakeRuns()
        self.audits, self.sent, self.refuses = {}, [], None

    def send(self, call):
        if self.refuses is not None:
            raise self.refuses
        self.sent.append(call)

    def known_audit(self, environment):
        return self.audits.get(environment.manifest.id)

    def environment(self, target):
        return self.environments[target]

    verifier = environment

    def runner(self):
        """Nothing here runs a package: sessions and tools are tested with a runner of their own."""
        return SimpleNamespace(most_sessions=0)


@pytest.fixture
def fake_environment():
    return FakeEnvironment


@pytest.fixture
def fake_hub():
    return FakeHub


@pytest.fixture
def make_settings(tmp_path):
    """Settings of a run that takes about a second."""

    def make(**changes):
        values = {
            "targets": ("test/digits",),
            "model": "tiny",
            "output": tmp_path / "run",
            "cache": tmp_path / "cache",
            "steps": 3,
            "prompts_per_step": 2,
            "num_generations": 4,
            "max_completion_length": 8,
            "temperature": 1.0,
            "learning_rate": 5e-3,
            "eval_tasks": 4,
            "save_steps": 0,
        }
        return TrainSettings.make(values | changes)

    return make


class Told(NoProgress):
    """Keeps what a person would have read."""

    def __init__(self):
        self.said, self.warned = [], []

    def say(self, text):
        self.said.append(text)

    def warn(self, text):
        self.warned.append(text)


@pytest.fixture
def build(fake_hub, make_settings):
    """open_parts on a hub in memory; settings by name."""

    def make(hub=None, progress=None, recipe="dapo", **changes):
        settings = make_settings(recipe=recipe, **changes)
        return open_parts(settings, load_recipe(recipe), hub or fake_hub(), progress or NoProgress(), report=False)

    return make
