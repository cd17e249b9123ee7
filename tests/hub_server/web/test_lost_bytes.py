"""Bytes of a release are lost, all or some: each page and path answers, and says so where it cannot do without them."""

import shutil
from pathlib import Path

import pytest
from fastapi import FastAPI

from hub_server.kernel.services import Services
from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api, make_package

RELEASE = "/packages/alice/small-sums/releases/1.0.0"
PATHS = [
    "/", "/packages", "/packages/alice/small-sums", "/packages/alice/small-sums/releases",
    *(f"{RELEASE}/{tab}" for tab in ("tasks", "code", "try", "audit", "cases")),
    "/simple/", "/simple/alice-small-sums/", f"/api/v1{RELEASE}", f"/api/v1{RELEASE}/wheel",
    f"/api/v1{RELEASE}/files", f"/api/v1{RELEASE}/tasks", "/feeds/releases.atom", "/readyz", "/api/v1/events",
]  # fmt: skip


@pytest.mark.parametrize("lost", ["all", "a part"])
def test_no_path_fails_when_bytes_of_a_release_are_lost(
    app: FastAPI, alice: Api, services: Services, lost: str
) -> None:
    digest = alice.publish(make_package()).json()["release"]["digest"]
    for blob in Path(services.settings.blobs_url).glob("sha256/*/*"):
        blob.unlink() if lost == "all" else blob.write_bytes(blob.read_bytes()[:100])
    shutil.rmtree(services.settings.data / "wheels", ignore_errors=True)
    browser = Browser(app)
    for path in PATHS:
        answer = browser.get(path) if not path.startswith("/api") else alice.get(path)
        status = answer.status if not path.startswith("/api") else answer.status_code
        assert status < 500 or status == 503, (path, status)
    for part in ({}, {"Range": "bytes=10-20"}):  # what is still there is not handed out either
        refused = alice.get(f"/api/v1{RELEASE}/wheel", headers=part)
        assert (refused.status_code, refused.json()["code"]) == (503, "blob_missing")
        assert digest in refused.json()["detail"]
