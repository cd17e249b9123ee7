"""What an address names."""
# ruff: noqa: FAST003 -- the address classes take the path's services

from dataclasses import FrozenInstanceError

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from hub_server.site.sections.addresses import PackageAddress, PackageAt, ReleaseAddress, ReleaseAt


@pytest.fixture
def client() -> TestClient:
    app = FastAPI()

    @app.get("/packages/{owner}/{name}")
    def package(at: PackageAt) -> str:
        return at.package

    @app.get("/packages/{owner}/{name}/releases/{version}")
    def release(at: ReleaseAt) -> list[str]:
        return [at.package, at.version]

    return TestClient(app)


def test_a_package_is_its_owner_and_its_name() -> None:
    assert PackageAddress("alice", "sums").package == "alice/sums"
    assert ReleaseAddress("alice", "sums", "latest").package == "alice/sums"


@pytest.mark.parametrize("version", ["latest", "1.0.0", ">=1,<2", "sha256:" + "0" * 64])
def test_a_routes_path_fills_it_whatever_names_a_release(client: TestClient, version: str) -> None:
    assert client.get("/packages/alice/sums").json() == "alice/sums"
    assert client.get(f"/packages/alice/sums/releases/{version}").json() == ["alice/sums", version]


def test_a_query_replaces_no_part_of_the_path(client: TestClient) -> None:
    """Else a link could show one package under the address of another."""
    answer = client.get("/packages/alice/sums/releases/1.0.0?owner=mallory&name=evil&version=9")
    assert answer.json() == ["alice/sums", "1.0.0"]


def test_an_address_is_a_value() -> None:
    assert ReleaseAddress("a", "b", "1") == ReleaseAddress("a", "b", "1") != ReleaseAddress("a", "b", "2")
    with pytest.raises(FrozenInstanceError):
        PackageAddress("a", "b").owner = "c"  # type: ignore[misc]
