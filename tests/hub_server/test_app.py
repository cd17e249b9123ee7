"""The application as a whole: what its API promises is stored, so that a change of it is seen and meant."""

import json
import os
from pathlib import Path

from fastapi import FastAPI
from fastapi.routing import APIRoute

from hub_server.app import API_ROUTERS, PAGE_ROUTERS, create_app
from hub_server.kernel.services import Services

STORED = Path(__file__).with_name("openapi.json")


def test_the_api_is_the_one_that_is_stored(app: FastAPI) -> None:
    """A change that is meant: VERIHUB_UPDATE_SNAPSHOTS=1 scripts/test tests/hub_server/test_app.py, and a line in CHANGELOG.md."""
    text = json.dumps(app.openapi(), indent=1, sort_keys=True) + "\n"
    if os.environ.get("VERIHUB_UPDATE_SNAPSHOTS"):
        STORED.write_text(text)
    assert text == STORED.read_text()


def test_a_second_application_builds_no_route_again(app: FastAPI, services: Services) -> None:
    """Building them costs more than most requests, and a process may make many applications."""
    routes = {id(route) for router in (*API_ROUTERS, *PAGE_ROUTERS) for route in router.routes}
    assert len(routes) > 10
    for each in (app, create_app(services)):
        assert routes <= {id(route) for route in each.routes}
        assert each.openapi() is app.openapi(), "nor describes them again"


def test_no_group_hides_routes_from_whoever_walks_them(app: FastAPI) -> None:
    """Tests read every route as a stranger, a thief and a member: 50 that stood in a router in the list were passed over."""
    assert [route for route in app.router.routes if not hasattr(route, "path")] == []
    walked = {route.path_format for route in app.router.routes if isinstance(route, APIRoute)}
    assert set(app.openapi()["paths"]) <= walked
