"""What rewards depend on is pinned, and a lock that could not be made leaves the old one."""

import pytest

from schemas.package import ReleaseState
from tests.making.wheel import make_wheel

TARGET = "alice/small-sums"


def test_a_newcomer_is_told_what_to_name(verihub, scripted):
    said = verihub("lock")
    assert (said.code, scripted.asked) == (2, [])
    assert "name what to lock" in said.err


def test_the_lock_holds_the_digest_and_the_same_pins_give_the_same_bytes(verihub, scripted, own_folders):
    release = scripted.add(make_wheel())
    assert verihub("lock", TARGET, "--no-images").out.strip() == "verihub.lock pins 1 package of http://hub.example"
    first = (own_folders / "verihub.lock").read_bytes()
    assert release.digest.encode() in first
    assert verihub("lock", "--no-images", "-q").out.strip() == "verihub.lock"
    assert (own_folders / "verihub.lock").read_bytes() == first


def test_locking_again_takes_what_is_latest_now(verihub, scripted, own_folders):
    scripted.add(make_wheel())
    verihub("lock", TARGET, "--no-images")
    scripted.releases[TARGET].clear()
    scripted.add(make_wheel(version="1.1.0"))
    verihub("lock", "--no-images")
    assert 'version = "1.1.0"' in (own_folders / "verihub.lock").read_text()


@pytest.mark.parametrize(("state", "code"), [(ReleaseState.YANKED, 4), (ReleaseState.QUARANTINED, 4)])
def test_what_cannot_be_locked_leaves_the_lock_as_it_was(verihub, scripted, own_folders, state, code):
    scripted.add(make_wheel())
    verihub("lock", TARGET, "--no-images")
    before = (own_folders / "verihub.lock").read_bytes()
    scripted.releases[TARGET].clear()
    scripted.add(make_wheel(), state=state)
    assert verihub("lock", "--no-images").code == code
    assert (own_folders / "verihub.lock").read_bytes() == before


def test_a_lock_is_not_written_through_a_link(verihub, scripted, own_folders, tmp_path):
    (tmp_path / "victim").write_text("precious")
    (own_folders / "verihub.lock").symlink_to(tmp_path / "victim")
    scripted.add(make_wheel())
    assert verihub("lock", TARGET, "--no-images").code == 0
    assert (tmp_path / "victim").read_text() == "precious"
