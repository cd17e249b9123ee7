"""No request that the API's description allows, or forbids, is a fault of the hub. `scripts/fuzz_api` sends many more."""

import pytest
from fastapi import FastAPI

from hub_server.kernel.services import Services
from tests.making.api_fuzz import fuzz
from tests.making.fuzzed_hub import fill
from tests.making.hub import Api


def test_a_few_requests_to_every_operation_are_no_fault_of_the_hub(app: FastAPI, services: Services) -> None:
    api, known = fill(app, services)
    assert fuzz(api, app.openapi(), known, examples=1) == []


def test_an_operation_to_which_no_request_can_be_made_does_not_drop_out(app: FastAPI) -> None:
    body = {"content": {"application/x-unknown": {"schema": {"type": "object"}}}, "required": True}
    operation = {"requestBody": body, "responses": {"200": {"description": "done"}}}
    document = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {"/made-up": {"post": operation}}}
    with pytest.raises(AssertionError, match="POST /made-up: no positive request can be made"):
        fuzz(Api(app), document, {}, examples=1)
