"""``verihub admin fsck``: its exit code says whether anything is lost."""

import os

from hub_server.kernel.services import Services
from tests.hub_server.admin.conftest import Admin
from tests.making.hub import Api, make_package


def test_the_exit_code_says_whether_something_is_lost(alice: Api, services: Services, admin: Admin) -> None:
    digest = alice.publish(make_package()).json()["release"]["digest"]
    unused = services.blobs.put(b"of a publish that broke off")
    path, then = services.blobs.file_of(unused), services.clock.now().timestamp() - 1800
    assert path is not None
    os.utime(path, (then, then))
    sound = admin("fsck")
    assert sound.exit_code == 0, sound.output
    assert sound.stdout.startswith(f"unused  {unused}  27 bytes")
    assert "0 faults of database and journal, 0 releases without their bytes, 1 unused blob." in sound.stderr
    services.blobs.delete(digest)
    lost = admin("fsck", "--fast")
    assert lost.exit_code == 7
    assert f"missing  alice/small-sums 1.0.0  {digest}" in lost.stdout
    assert admin("gc", "--grace-hours", "1").exit_code == 0
    assert services.blobs.exists(unused)  # stored half an hour ago
