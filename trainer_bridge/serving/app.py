"""The endpoint: ``/v1/chat/completions`` and ``/v1/models`` over one engine."""

import asyncio
import hmac
import itertools
import secrets
import time
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from hub_client.transport.chat_endpoint import ContextOverflowError
from trainer_bridge.rollout.chat import ChatModel, Conversations, ModelCall, TokenLimits, UnfitMessagesError
from trainer_bridge.rollout.decoding.requests import Generated, GenerationRequest
from trainer_bridge.rollout.decoding.sampling import Sampling
from trainer_bridge.rollout.serving_engine import ServingEngine
from trainer_bridge.serving.event_stream import Writing, stream
from trainer_bridge.serving.wire import ChatRequest, RequestError, as_choice, as_usage


@dataclass(frozen=True)
class Endpoint:
    """The model and its limits. ``max_tokens``: the default for requests without it. An empty ``api_key``: no key is
    needed.
    """

    model: ChatModel
    engine: ServingEngine
    max_tokens: int = 1024
    api_key: str = ""


def create_app(endpoint: Endpoint) -> Starlette:
    """The ASGI application."""
    server = _Server(endpoint)
    return Starlette(
        routes=[
            Route("/v1/chat/completions", server.answer, methods=["POST"]),
            Route("/v1/models", server.models),
            Route("/v1/models/{name:path}", server.model),
            Route("/health", server.health),
        ],
        exception_handlers={
            RequestError: _refused,
            HTTPException: _no_such_route,
            Exception: _failed,
        },
    )


class _Server:
    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._model = endpoint.model
        self._known = Conversations()
        self._seeds = itertools.count(secrets.randbits(32))
        self._since = int(time.time())

    async def health(self, request: Request) -> Response:
        """503 when nothing is answered any more."""
        del request
        return Response(status_code=200 if self._endpoint.engine.is_open else 503)

    async def models(self, request: Request) -> Response:
        self._check_key(request)
        return JSONResponse({"object": "list", "data": [self._card]})

    async def model(self, request: Request) -> Response:
        self._check_key(request)
        self._check_model(request.path_params["name"])
        return JSONResponse(self._card)

    @property
    def _card(self) -> dict[str, Any]:
        return {"id": self._model.name, "object": "model", "created": self._since, "owned_by": "verihub"}

    async def answer(self, request: Request) -> Response:
        self._check_key(request)
        asked = ChatRequest.read(await request.body())
        self._check_model(asked.model)
        messages = asked.conversation()
        writing = [Writing(one) for one in self._requests(asked, messages)]
        head = {"id": f"chatcmpl-{secrets.token_hex(12)}", "created": int(time.time()), "model": self._model.name}
        if asked.stream:
            events = stream(asked, head, writing, self._write_all(asked, messages, writing), self._model.text)
            return StreamingResponse(events, media_type="text/event-stream")
        calls = await _unless_gone(request, writing, self._write_all(asked, messages, writing))
        prompt = writing[0].request.prompt
        choices = [as_choice(index, call, asked, self._model.text) for index, call in enumerate(calls)]
        ids = {"prompt_token_ids": list(prompt)} if asked.return_token_ids else {}
        usage = as_usage(len(prompt), calls)
        return JSONResponse({**head, "object": "chat.completion", "choices": choices, "usage": usage, **ids})

    def _requests(self, asked: ChatRequest, messages: Sequence[dict[str, Any]]) -> list[GenerationRequest]:
        sampling = Sampling(
            1.0 if asked.temperature is None else asked.temperature, asked.top_p or 1.0, asked.top_k or 0
        )
        limits = TokenLimits(asked.max_completion_tokens or asked.max_tokens or self._endpoint.max_tokens)
        # Seeds of the answers to one request follow one another; those of two requests must not meet.
        seed = (next(self._seeds) if asked.seed is None else Random(asked.seed).getrandbits(48)) << 8  # noqa: S311
        try:
            first = self._model.request_for(
                self._known, messages, asked.offered, sampling=sampling, limits=limits, seed=seed, stop=asked.ends
            )
        except ContextOverflowError as error:
            raise RequestError(str(error), param="messages", code="context_length_exceeded") from None
        except UnfitMessagesError as error:
            raise RequestError(f"messages: {error}", param="messages") from None
        return [first, *(replace(first, seed=seed + number) for number in range(1, asked.n or 1))]

    async def _write_all(
        self, asked: ChatRequest, messages: Sequence[dict[str, Any]], writing: Sequence[Writing]
    ) -> list[ModelCall]:
        futures = [asyncio.wrap_future(self._endpoint.engine.submit(one.watched())) for one in writing]
        generated = await asyncio.gather(*futures)
        return [self._finish(asked, messages, one, found) for one, found in zip(writing, generated, strict=True)]

    def _finish(
        self, asked: ChatRequest, messages: Sequence[dict[str, Any]], one: Writing, generated: Generated
    ) -> ModelCall:
        call = self._model.call(one.sent, generated, has_tools=bool(asked.offered))
        self._known.remember(messages, asked.offered, call)
        return call

    def _check_model(self, name: str) -> None:
        if name != self._model.name:
            raise RequestError(
                f"the model {name!r} does not exist; there is {self._model.name!r}",
                param="model",
                code="model_not_found",
                status=404,
            )

    def _check_key(self, request: Request) -> None:
        key = self._endpoint.api_key
        given = request.headers.get("authorization", "").removeprefix("Bearer ")
        if key and not hmac.compare_digest(given.encode(), key.encode()):
            raise RequestError("the API key is missing or wrong", code="invalid_api_key", status=401)


async def _unless_gone(
    request: Request, writing: Sequence[Writing], answering: Awaitable[list[ModelCall]]
) -> list[ModelCall]:
    """Wait for the answer. If the client disconnects, generation is ended."""

    async def gone() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        for one in writing:
            one.is_wanted = False

    watching = asyncio.ensure_future(gone())
    try:
        return await answering
    finally:
        watching.cancel()


async def _refused(request: Request, error: Exception) -> Response:
    del request
    assert isinstance(error, RequestError)
    return JSONResponse(error.body, status_code=error.status)


async def _no_such_route(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    message = f"{request.method} {request.url.path}: {error.detail}"
    return JSONResponse(RequestError(message, status=error.status_code).body, status_code=error.status_code)


async def _failed(request: Request, error: Exception) -> Response:
    del request
    return JSONResponse(RequestError(f"{type(error).__name__}: {error}", status=500).body, status_code=500)
