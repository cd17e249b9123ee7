"""The command ``verihub serve-model``: load a model, listen, and answer until stopped."""

import socket
from functools import partial

import uvicorn

from hub_client.errors import HubUnreachableError, UsageError
from hub_client.settings import ClientSettings
from schemas.hosts import in_url
from trainer_bridge.errors import ModelError, ModelUnreachableError, SettingsError
from trainer_bridge.models.devices import pick_device, pick_dtype
from trainer_bridge.models.loaded_model import LoadedModel, load_model
from trainer_bridge.rollout.chat import ChatModel
from trainer_bridge.rollout.decoding.engine_choice import open_engine
from trainer_bridge.rollout.serving_engine import ServingEngine
from trainer_bridge.serving.app import Endpoint, create_app


def serve(  # noqa: PLR0913 -- the command's options
    name: str, *, host: str, port: int, slots: int, max_tokens: int, api_key: str, device: str, dtype: str
) -> None:
    """Load ``name`` (with ``--offline`` from this machine only) and serve it until interrupted.

    Raises the client's errors.
    """
    loaded = _load(name, device, dtype, ClientSettings.load())
    with ServingEngine(open_engine(loaded, slots=slots)) as engine:
        endpoint = Endpoint(ChatModel(loaded, name), engine, max_tokens, api_key)
        AnnouncedServer(uvicorn.Config(create_app(endpoint), host=host, port=port, log_level="warning"), name).run()


class AnnouncedServer(uvicorn.Server):
    """Says where it listens when it does: loading takes a while, and port 0 is any free one."""

    def __init__(self, config: uvicorn.Config, model: str) -> None:
        super().__init__(config)
        self._model = model
        self._say = partial(print, flush=True)  # at once, into a log file too

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to listen, and say so."""
        await super().startup(sockets)
        if self.started and self.servers:
            host, port = self.servers[0].sockets[0].getsockname()[:2]
            self._say(f"{self._model} answers at http://{in_url(host)}:{port}/v1")


def _load(name: str, device: str, dtype: str, settings: ClientSettings) -> LoadedModel:
    try:
        where = pick_device(device)
        kind = pick_dtype(dtype, where, is_tiny=name == "tiny")
        return load_model(name, dtype=kind, device=where, cache=settings.cache_dir, say=print, offline=settings.offline)
    except ModelUnreachableError as error:
        raise HubUnreachableError(str(error)) from error
    except (ModelError, SettingsError) as error:
        raise UsageError(str(error)) from error
