"""A hub answers to its own names; on a laptop, to no name that a stranger's page has pointed at it."""

from dataclasses import replace

import pytest

from hub_server.app import create_app
from hub_server.kernel.services import Services
from hub_server.web.hosts import host_of
from tests.making.hub import Api

SQLITE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture
def named(services: Services) -> Api:
    settings = services.settings.model_copy(update={"hosts": ["localhost", "[::1]", "hub.example"]})
    return Api(create_app(replace(services, settings=settings)))


@SQLITE
@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8642", "[::1]:8642", "hub.example"])
def test_its_own_names_are_answered(named: Api, host: str) -> None:
    assert named.get("/about", headers={"Host": host}).status_code == 200


@SQLITE
@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "", "hub.example@evil", "127.0.0.1"])
def test_another_name_reads_nothing(named: Api, host: str) -> None:
    for path in ("/", "/simple/", "/api/v1/packages", "/static/site.css"):
        answer = named.get(path, headers={"Host": host})
        assert answer.status_code == 421, path
        assert "VERIHUB_SERVER_HOSTS" in answer.text
    assert named.get("/healthz", headers={"Host": host}).status_code == 200  # a probe asks by address


@SQLITE
def test_without_a_list_every_name_is_answered(api: Api) -> None:
    assert api.get("/about", headers={"Host": "any.example"}).status_code == 200


def test_a_host_is_read_without_its_port() -> None:
    assert [host_of(text) for text in ("A:1", "[::1]:1", "[::1]", "", "a")] == ["a", "::1", "::1", "", "a"]
