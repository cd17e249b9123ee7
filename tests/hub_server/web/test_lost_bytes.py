"""The bytes of a release are lost: every page and path still answers, and says so where it cannot do without them."""

import shutil
from pathlib import Path

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


def test_no_path_fails_when_the_bytes_of_a_release_are_lost(app: FastAPI, alice: Api, services: Services) -> None:
    digest = alice.publish(make_package()).json()["release"]["digest"]
    shutil.rmtree(Path(services.settings.blobs_url) / "sha256")
    shutil.rmtree(services.settings.data / "wheels", ignore_errors=True)
    browser = Browser(app)
    for path in PATHS:
        answer = browser.get(path) if not path.startswith("/api") else alice.get(path)
        status = answer.status if not path.startswith("/api") else answer.status_code
        assert status < 500 or status == 503, (path, status)
    lost = alice.get(f"/api/v1{RELEASE}/wheel")
    assert (lost.status_code, lost.json()["code"]) == (503, "blob_missing")
    assert digest in lost.json()["detail"]
