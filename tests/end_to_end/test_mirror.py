"""A hub and a mirror of it, a process each, and a reader who uses the mirror alone."""

import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from hub_client.client import Hub, parse_reference
from hub_client.errors import PolicyError
from hub_client.settings import ClientSettings
from hub_client.transport.requests import accounts
from schemas.account import AccountCreate
from schemas.names import digest_of
from tests.end_to_end.conftest import ServedHub
from tests.making.hub import PASSWORD, make_package
from tests.making.live_hub import _LOCAL, live_hub

pytestmark = pytest.mark.slow
_WAIT_SECONDS = 240
_QUICK = {
    "VERIHUB_SERVER_MIRROR__POLL_SECONDS": "0.2",
    "VERIHUB_SERVER_OUTGOING__ALLOWED_NETWORKS": '["127.0.0.0/8"]',
}


def publish(url: str, token: str, *versions: str) -> None:
    for version in versions:
        headers = {"Authorization": f"Bearer {token}"}
        answer = httpx.post(
            f"{url}/api/v1/packages", content=make_package(version=version), headers=headers, timeout=240
        )
        assert answer.status_code == 201, answer.text


def wait_for(url: str, version: str) -> None:
    deadline = time.monotonic() + _WAIT_SECONDS
    while time.monotonic() < deadline:
        if httpx.get(f"{url}/api/v1/packages/alice/small-sums/releases/{version}", timeout=60).status_code == 200:
            return
        time.sleep(0.1)
    pytest.fail(httpx.get(f"{url}/readyz").text)


def test_a_reader_finds_pulls_and_proves_releases_on_a_mirror_that_was_killed(tmp_path: Path) -> None:
    body = {"name": "alice", "email": "alice@example.org", "password": PASSWORD}
    with live_hub(tmp_path / "origin") as origin:
        token = httpx.post(f"{origin}/api/v1/accounts", json=body, timeout=240).json()["token"]
        publish(origin, token, "1.0.0", "1.1.0")
        mirror = ServedHub(tmp_path / "mirror", _LOCAL | _QUICK | {"VERIHUB_SERVER_MIRROR__OF": origin})
        mirror.start()
        mirror.kill()
        publish(origin, token, "1.2.0")
        mirror.start()
        wait_for(mirror.url, "1.2.0")
    try:  # the other hub is gone
        settings = ClientSettings(url=mirror.url, cache_dir=tmp_path / "cache", config_dir=tmp_path / "config")
        with Hub(settings=settings) as hub:
            package = hub.resolver.load(parse_reference("alice/small-sums@1.2.0"), strict=True)
            assert package.vouched is not None
            assert package.digest == digest_of(make_package(version="1.2.0"))
            with pytest.raises(PolicyError, match="read-only mirror"):
                hub.send(accounts.sign_up(AccountCreate(**body)))
        pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--dest", str(tmp_path)]
        subprocess.run([*pip, "--index-url", f"{mirror.url}/simple", "alice-small-sums==1.1.0"], check=True)
        assert digest_of(next(tmp_path.glob("*1.1.0*.whl")).read_bytes()) == digest_of(make_package(version="1.1.0"))
    finally:
        mirror.stop()
