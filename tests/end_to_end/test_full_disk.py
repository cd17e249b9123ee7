"""A full disk refuses one publish with a clear sentence; the hub lives, and nothing is half-written."""

import os
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.making.small_disk import mounted_disk

pytestmark = [
    pytest.mark.slow,
    pytest.mark.together("end_to_end"),
    pytest.mark.skipif(os.geteuid() != 0, reason="a small file system is mounted, which only root may do"),
]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Three megabytes."""
    with mounted_disk(tmp_path / "disk", "3m") as folder:
        yield folder


def test_a_full_disk_refuses_and_forgets_nothing(small_disk, tmp_path, serve_hub, make_person) -> None:
    hub = serve_hub(small_disk)
    bob = make_person(hub, tmp_path / "bob", "bob")
    bob.sign_up()
    bob.run("init", "bob/small", "--kind", "verifier")
    bob.run("publish", "small")
    bob.run("init", "bob/large", "--kind", "verifier")
    (bob.home / "large" / "src" / "bob_large" / "noise.txt").write_text(os.urandom(3_000_000).hex())
    said = bob.run("publish", "large", expect=8)
    assert "No space left" in said
    assert "Debug" not in said
    assert bob.json("info", "bob/small")
    assert httpx.get(f"{hub.url}/api/v1/packages/bob/large").status_code == 404
    bob.run("init", "bob/another", "--kind", "verifier")
    bob.run("publish", "another")
