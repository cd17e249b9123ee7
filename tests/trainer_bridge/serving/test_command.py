"""What cannot be served is a mistake in the command, said before anything listens."""

import asyncio
import re

import pytest
import uvicorn

from hub_client.errors import HubUnreachableError, UsageError
from hub_client.settings import command_line
from trainer_bridge.serving.command import AnnouncedServer, serve

GIVEN = {"host": "127.0.0.1", "port": 0, "slots": 4, "max_tokens": 8, "api_key": ""}


@pytest.mark.parametrize(("name", "device"), [("no-such-model", "cpu"), ("tiny", "abacus")])
def test_an_unknown_model_or_device_is_a_wrong_request(name, device):
    with pytest.raises(UsageError):
        serve(name, device=device, dtype="float32", **GIVEN)


def test_a_model_that_train_fetched_is_looked_for_where_the_settings_say(tmp_path):
    said = {"offline": True, "cache_dir": tmp_path}
    with command_line(said), pytest.raises(HubUnreachableError, match=f"it would be {tmp_path}/models/"):
        serve("smollm2", device="cpu", dtype="float32", **GIVEN)


def test_with_offline_a_model_is_not_fetched_to_be_served():
    with command_line({"offline": True}), pytest.raises(HubUnreachableError, match="--offline forbids"):
        serve("ours/unheard-of", device="cpu", dtype="float32", **GIVEN)


async def _nothing(scope, receive, send):
    """An application that nobody asks."""


@pytest.mark.parametrize(("host", "shown"), [("127.0.0.1", r"127\.0\.0\.1"), ("::1", r"\[::1\]")])
def test_it_says_where_it_listens(capsys, host, shown):
    server = AnnouncedServer(uvicorn.Config(_nothing, host=host, port=0, log_level="warning", lifespan="off"), "tiny")

    async def start_and_stop():
        server.config.load()
        server.lifespan = server.config.lifespan_class(server.config)
        await server.startup()
        await server.shutdown()

    asyncio.run(start_and_stop())
    assert re.fullmatch(rf"tiny answers at http://{shown}:[1-9]\d+/v1\n", capsys.readouterr().out)
