"""Packages that run on a real hub, because this machine has no sandbox: the same rewards, each for its own step."""

import asyncio

import pytest

from hub_client.client import Hub
from hub_client.packaging.pack import pack
from hub_client.settings import ClientSettings
from hub_client.transport.requests import accounts, packages
from schemas.account import AccountCreate
from schemas.kinds import PackageKind
from tests.making.project import make_project

pytestmark = pytest.mark.together("live_hub")

MANIFEST = """\
format = 1
id = "player/echo"
kind = "environment"
tasks = { train = "tasks.jsonl" }
verifier = "player_echo:verify"
session = "player_echo:Echo"

[rewards.number]
range = [0.0, 1000.0]
"""
CODE = '''"""Rewards a step with the number that was said, so that nobody can get another's reward unnoticed."""


class Echo:
    def reset(self, task, seed):
        return {"messages": [{"role": "user", "content": "say a number"}], "tools": []}

    def step(self, message):
        return {"messages": [], "done": False, "rewards": {"number": float(message["content"])}}


def verify(task, response):
    return {"number": float(len(response))}
'''
TASKS = '{"id": "t", "prompt": "?", "answer": 1}\n'


@pytest.fixture(scope="module")
def env(hub_address, tmp_path_factory):
    """The environment, published, and run on the hub alone."""
    home = tmp_path_factory.mktemp("home")
    settings = ClientSettings.load(url=hub_address, config_dir=home / "config", cache_dir=home / "cache", run_at="hub")
    files = {"verihub.toml": MANIFEST, "__init__.py": CODE, "tasks.jsonl": TASKS, "audit.jsonl": ""}
    folder = make_project(home / "echo", "player/echo", PackageKind.ENVIRONMENT, files=files)
    with Hub(settings=settings) as hub:
        account = AccountCreate(name="player", email="player@example.org", password="correct horse battery")
        token = hub.send(accounts.sign_up(account)).token
    with Hub(settings=settings.model_copy(update={"token": token})) as hub:
        packed = pack(folder, hub.cache)
        hub.send(packages.publish(packed.data, packed.digest))
        yield hub.environment("player/echo")


def say(number):
    return {"role": "assistant", "content": str(number)}


def test_branches_that_step_at_once_get_their_own_rewards(env) -> None:
    async def play():
        async with env.session({"id": "t", "prompt": "?"}) as session:
            await session.reset()
            twin = await session.branch()
            numbers = list(range(12))
            steps = [one.step(say(100 * index + n)) for n in numbers for index, one in enumerate((session, twin))]
            return [turn["rewards"]["number"] for turn in await asyncio.gather(*steps)]

    assert asyncio.run(play()) == [100.0 * index + n for n in range(12) for index in range(2)]


def test_characters_that_look_like_line_ends_break_no_batch(env) -> None:
    task = {"id": "t", "prompt": "a\u2028b\u0085c", "answer": 1}
    responses = ["one", "two\u2028lines", "three\u2029\u0085lines", "half \ud800", "four"]
    table = env.score([(task, response) for response in responses])
    assert [row[0] for row in table.rows] == [3.0, 9.0, 12.0, None, 4.0]
    assert "refused this call" in table.errors[3].message


def test_a_stream_to_the_hub_gives_every_pair_its_verdict(env) -> None:
    async def read():
        pairs = [({"id": "t", "prompt": "?"}, "x" * n) for n in range(150)]
        return {index: verdict.rewards["number"] async for index, verdict in env.score_stream(pairs)}

    assert asyncio.run(read()) == {n: float(n) for n in range(150)}
