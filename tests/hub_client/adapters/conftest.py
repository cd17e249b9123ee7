"""An environment with three rewards whose verdicts are known, judged in this process."""

from pathlib import Path

import pytest

from hub_client.environments import Environment
from hub_client.releases.resolve import LoadedPackage
from schemas.verdict import ErrorKind, Verdict
from schemas.wheels.wheel import read_wheel
from tests.fakes.runner import FakeRunner
from tests.making.wheel import MANIFEST, make_wheel

VECTOR = (
    MANIFEST
    + '\n[rewards.short]\nrole = "score"\nweight = 0.5\n\n[rewards.words]\nrole = "metric"\nrange = [0.0, 100.0]\n'
)
GATED = VECTOR + '\n[rewards.polite]\nrole = "gate"\n'


@pytest.fixture
def judged():
    """What was judged so far, as responses."""
    return []


@pytest.fixture
def make_env(judged):
    """An environment of a manifest. ``loop`` cannot be judged at all, ``long`` only in part, ``rude`` shuts the gate."""

    def make(manifest=VECTOR, watch=lambda request: None):
        contents = read_wheel(make_wheel(manifest=manifest))
        package = LoadedPackage("alice/small-sums", "1.0.0", contents.digest, Path("x.whl"), contents)
        names = list(contents.manifest.rewards)

        def judge(request):
            watch(request)
            said = request.response if request.response is not None else request.messages[-1]["content"]
            judged.append(said)
            if said == "loop":
                return Verdict.unjudged(names, ErrorKind.TIMEOUT, "too slow")
            right = float((said.split() or [""])[0] == str(request.task["answer"]))
            rewards = {
                "correct": right,
                "short": None if said.endswith("long") else 1.0,
                "words": float(len(said.split())),
                "polite": float("rude" not in said),
            }
            return Verdict(rewards={name: rewards[name] for name in names})

        runner = FakeRunner(judge)
        return Environment(package, package, lambda: runner)

    return make


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
def env(make_env):
    return make_env()
