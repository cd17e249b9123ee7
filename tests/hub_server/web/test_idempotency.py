"""Idempotency-Key: what a key is bound to, and when nothing is kept."""

import asyncio
from types import SimpleNamespace

import pytest
from starlette.requests import Request

from hub_server.errors import InvalidRequestError
from hub_server.web.idempotency import get_idempotency_key
from schemas.page import Page


def key_of(key="k", *, method="POST", path="/api/v1/runs", body=b"{}"):
    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    scope = {"type": "http", "method": method, "path": path, "query_string": b"", "headers": [(b"host", b"hub.test")]}
    return asyncio.run(get_idempotency_key(Request(scope, receive), key))


def test_a_key_is_bound_to_method_path_and_body() -> None:
    requests = [key_of(), key_of(method="PUT"), key_of(path="/api/v1/run"), key_of(body=b"{ }")]
    assert len({one.request_hash for one in requests}) == 4
    assert key_of().request_hash == key_of().request_hash == key_of("another key").request_hash


@pytest.mark.parametrize("key", ["", "x" * 201])
def test_a_key_is_one_to_two_hundred_characters(key) -> None:
    with pytest.raises(InvalidRequestError, match="1 to 200"):
        key_of(key)
    assert key_of("x" * 200).key is not None


@pytest.mark.parametrize(("key", "caller"), [(None, object()), ("k", None)])
def test_without_a_key_or_an_account_nothing_is_kept_and_each_request_is_done(key, caller) -> None:
    made = []

    def make():
        made.append(1)
        return Page[int](items=[])

    for _ in range(2):
        key_of(key).answer(SimpleNamespace(caller=caller), Page[int], make)
    assert len(made) == 2
