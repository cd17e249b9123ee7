import asyncio

import httpx
import pytest

from hub_client import AsyncHub, ClientSettings
from hub_client.errors import HubUnreachableError, NotFoundError
from hub_client.transport.requests import packages
from schemas.kinds import PackageKind
from tests.making.project import make_project


def answer(request):
    if request.url.path == "/api/v1/packages":
        return httpx.Response(200, json={"items": [], "next": None})
    return httpx.Response(
        404, json={"title": "No", "status": 404, "code": "package_not_found", "detail": "no such thing"}
    )


def in_hub(work, **settings):
    async def run():
        transport = httpx.MockTransport(answer)
        async with AsyncHub(
            settings=ClientSettings.load(**settings), transport=transport, async_transport=transport
        ) as hub:
            return await work(hub)

    return asyncio.run(run())


def test_calls_are_those_of_the_blocking_hub() -> None:
    assert in_hub(lambda hub: hub.send(packages.search("x"))).items == []
    with pytest.raises(NotFoundError, match="no such thing"):
        in_hub(lambda hub: hub.send(packages.get_package("alice/x")))
    with pytest.raises(NotFoundError, match="no such thing"):
        in_hub(lambda hub: hub.verifier("alice/x"))


def test_offline_asks_nobody() -> None:
    with pytest.raises(HubUnreachableError, match="offline"):
        in_hub(lambda hub: hub.send(packages.search("x")), offline=True)


def test_a_folder_is_scored_without_blocking_the_loop(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("VERIHUB_SANDBOX_TRUST_LOCAL_CODE", "true")
    folder = make_project(tmp_path / "letters", "alice/letters", PackageKind.ENVIRONMENT)

    async def work(hub):
        env = await hub.environment(folder)
        pairs = [(task, str(task["answer"])) for task in env.tasks("train")]
        return [verdict.rewards["correct"] async for _, verdict in env.score_stream(pairs)]

    assert in_hub(work, backend="local", run_at="here") == [1.0] * 10
