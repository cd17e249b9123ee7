"""``verihub admin gc``: what no release needs goes, once it is old."""

import os

from hub_server.kernel.services import Services
from tests.hub_server.admin.conftest import Admin


def test_old_bytes_go_and_a_dry_run_only_lists_them(services: Services, admin: Admin) -> None:
    digest = services.blobs.put(b"of a publish that broke off")
    path, then = services.blobs.file_of(digest), services.clock.now().timestamp() - 90_000
    assert path is not None
    os.utime(path, (then, then))
    listed = admin("gc", "--dry-run")
    assert listed.stdout.startswith(f"{digest}  27 bytes")
    assert listed.stderr == "1 blobs, 27 bytes would be deleted.\n"
    assert admin("gc", "--grace-hours", "26").stderr == "0 blobs, 0 bytes are deleted.\n"
    assert admin("gc").stderr == "1 blobs, 27 bytes are deleted.\n"
    assert not services.blobs.exists(digest)
    assert admin("gc", "--grace-hours", "0").exit_code == 2
