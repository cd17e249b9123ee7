"""No request that the API's description allows, or forbids, is a fault of the hub. `scripts/fuzz_api` sends many more."""

from fastapi import FastAPI

from hub_server.kernel.services import Services
from tests.making.api_fuzz import fuzz
from tests.making.fuzzed_hub import fill


def test_a_few_requests_to_every_operation_are_no_fault_of_the_hub(app: FastAPI, services: Services) -> None:
    api, known = fill(app, services)
    assert fuzz(api, app.openapi(), known, examples=1) == []
