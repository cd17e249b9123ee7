import asyncio
import dataclasses
import os
from contextlib import aclosing

import pytest

from hub_client.client import Hub
from hub_client.environments import Environment
from hub_client.errors import SandboxMissingError, UsageError
from hub_client.releases.cache import Cache
from hub_client.settings import ClientSettings
from schemas.kinds import PackageKind
from schemas.verdict import ErrorKind
from tests.making.project import make_project


@pytest.fixture
def hub(monkeypatch):
    """Runs packages as plain processes: all of them are this test's own."""
    monkeypatch.setenv("VERIHUB_SANDBOX_TRUST_LOCAL_CODE", "true")
    with Hub(settings=ClientSettings.load(backend="local", run_at="here")) as hub:
        yield hub


def test_a_folder_is_scored_here_both_ways(hub, tmp_path) -> None:
    env = hub.environment(make_project(tmp_path / "letters", "alice/letters", PackageKind.ENVIRONMENT))
    assert isinstance(env, Environment)
    assert list(env.rewards) == ["correct", "brief"]
    task = env.find_task("strawberry-r")
    assert env.score([(task, "3"), (task, "4"), (task, "Answer:\n3")]).rows == [[1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]

    async def stream():
        return {
            index: verdict.rewards["correct"] async for index, verdict in env.score_stream([(task, "3"), (task, "1")])
        }

    assert asyncio.run(stream()) == {0: 1.0, 1: 0.0}
    assert asyncio.run(stream()) == {0: 1.0, 1: 0.0}


def test_any_number_of_streams_may_be_open_at_once(hub, tmp_path) -> None:
    """Each gives its pair only when all are open: with a thread parked for each, the later ones would never be."""
    env = hub.environment(make_project(tmp_path / "letters", "alice/letters", PackageKind.ENVIRONMENT))
    task = env.find_task("strawberry-r")

    async def work(count):
        gate = asyncio.Barrier(count)

        async def pairs():
            await gate.wait()
            yield task, "3"

        async def one():
            return [verdict.rewards["correct"] async for _, verdict in env.score_stream(pairs())]

        return await asyncio.gather(*(one() for _ in range(count)))

    assert asyncio.run(work(40)) == [[1.0]] * 40


def test_a_hub_that_is_closed_in_the_middle_of_a_stream_leaves_nobody_waiting(hub, tmp_path) -> None:
    env = hub.environment(make_project(tmp_path / "letters", "alice/letters", PackageKind.ENVIRONMENT))
    task = env.find_task("strawberry-r")

    async def pairs():
        yield task, "3"
        await asyncio.Event().wait()

    async def work():
        async with aclosing(env.score_stream(pairs())) as stream:
            await anext(stream)
            closing = asyncio.create_task(asyncio.to_thread(hub.close))
            with pytest.raises(SandboxMissingError, match="closed while it judged"):
                await anext(stream)
            await closing

    asyncio.run(work())


def test_generated_tasks_are_made_in_the_box_and_repeat(hub, tmp_path) -> None:
    env = hub.environment(make_project(tmp_path / "letters", "alice/letters", PackageKind.ENVIRONMENT))
    first = list(env.tasks("test", seed=1, limit=5))
    assert [task["id"] for task in first] == [f"test-1-{index}" for index in range(5)]
    assert list(env.tasks("test", seed=1, start=2, limit=3)) == first[2:]
    assert all(task["split"] == "test" for task in first)


def test_an_authors_bug_is_a_null_with_a_reason_and_the_next_call_is_right(hub, tmp_path) -> None:
    code = "def verify(task, response):\n    if response == 'x':\n        raise KeyError('oops')\n    return {'correct': 1.0}\n"
    project = make_project(tmp_path / "buggy", files={"__init__.py": code, "audit.jsonl": ""})
    table = hub.verifier(project).score([({"id": "a"}, "x"), ({"id": "a"}, "y")])
    assert table.rows == [[None], [1.0]]
    assert table.errors[0].kind is ErrorKind.VERIFIER_FAILED
    assert "oops" in table.errors[0].message


@pytest.mark.skipif(os.geteuid() != 0, reason="about what root must not do")
def test_root_that_insists_on_boxes_of_its_own_runs_folders_and_nothing_from_a_hub(hub, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("VERIHUB_SANDBOX_LOCAL_AS_ROOT", "true")
    project = make_project(tmp_path / "letters", "alice/letters", PackageKind.ENVIRONMENT)
    mine = hub.load(project)
    assert hub.runner().tasks(mine, "test", start=0, count=1, seed=0)
    downloaded = dataclasses.replace(mine, release=object())
    with pytest.raises(SandboxMissingError, match="comes from a hub, and the local backend would run it as root"):
        hub.runner().tasks(downloaded, "test", start=0, count=1, seed=0)


def test_without_a_sandbox_and_without_leave_to_use_the_hub_the_user_learns_what_to_do(tmp_path, monkeypatch) -> None:
    monkeypatch.delenv("VERIHUB_SANDBOX_TRUST_LOCAL_CODE", raising=False)
    with (
        Hub(settings=ClientSettings.load(backend="local", run_at="here")) as hub,
        pytest.raises(SandboxMissingError, match="VERIHUB_SANDBOX_TRUST_LOCAL_CODE"),
    ):
        hub.verifier(make_project(tmp_path / "x")).score([({"id": "a"}, "x")])


def test_an_environment_may_be_judged_by_another_package(hub, tmp_path, monkeypatch) -> None:
    judge = hub.load(make_project(tmp_path / "judge", "bob/judge"))
    monkeypatch.setattr(hub.resolver, "load", lambda reference: {"bob/judge": judge}[reference.package])
    project = make_project(tmp_path / "letters", "alice/letters", PackageKind.ENVIRONMENT)
    manifest = project / "src/alice_letters/verihub.toml"
    text = manifest.read_text().replace('"alice_letters:verify"', '"bob/judge@>=0.1"')
    manifest.write_text(text.split("[rewards.correct]")[0])
    (project / "src/alice_letters/audit.jsonl").write_text("")
    env = hub.environment(project)
    assert list(env.rewards) == ["correct"]
    assert env.score([(env.find_task("banana-a"), "Answer: 3")]).rows == [[1.0]]


def test_the_cache_holds_what_was_packed(hub, tmp_path) -> None:
    loaded = hub.load(make_project(tmp_path / "x"))
    assert Cache(hub.settings.cache_dir).find_wheel(loaded.digest) == loaded.wheel


def test_scoring_works_inside_a_running_event_loop_as_in_a_notebook(hub, tmp_path) -> None:
    verifier = hub.verifier(make_project(tmp_path / "x"))

    async def cell():
        return verifier.score([({"id": "a", "answer": 2}, "Answer: 2")]).rows

    assert asyncio.run(cell()) == [[1.0]]


@pytest.mark.parametrize(
    "act",
    [
        lambda hub: hub.runner().tools("alice/letters"),
        lambda hub: hub.runner().call_tool("alice/letters", "count", {}),
        lambda hub: hub.runner().image_digest("alice/letters"),
        lambda hub: hub.environment_of("alice/letters"),
        lambda hub: hub.verifier_of("alice/letters"),
    ],
)
def test_a_name_in_place_of_a_loaded_package_is_told_what_to_write(hub, act) -> None:
    with pytest.raises(UsageError, match=r"not str: package = hub.load\('alice/letters'\)"):
        act(hub)
