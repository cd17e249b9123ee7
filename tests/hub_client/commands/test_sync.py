"""Exactly what the lock pins, or nothing: a hub that changed its mind, or never was the one, is found out."""

import pytest

from hub_client.lockfile import seal
from schemas.package import ReleaseState
from tests.making.wheel import make_wheel

TARGET = "alice/small-sums"


def edit(lock, old, new):
    """What somebody does who knows how a lock is sealed."""
    text = "".join(line for line in lock.read_text().splitlines(keepends=True) if not line.startswith("digest = "))
    lock.write_text(seal(text.replace(old, new)))


@pytest.fixture
def lock(verihub, scripted, own_folders):
    """A lock on one release, made with the scripted hub."""
    scripted.add(make_wheel())
    assert verihub("lock", TARGET, "--no-images").code == 0
    return own_folders / "verihub.lock"


def test_what_is_pinned_is_here_and_then_needs_no_hub(verihub, scripted, lock):
    said = verihub("sync")
    assert (said.code, said.out.split(":")[0]) == (0, "1 package of verihub.lock")
    scripted.asked.clear()
    assert verihub("sync", "--offline").code == 0
    assert scripted.asked == []


def test_offline_with_an_empty_cache_is_no_success(verihub, lock, tmp_path, monkeypatch):
    monkeypatch.setenv("VERIHUB_CACHE_DIR", str(tmp_path / "empty"))
    assert verihub("sync", "--offline").code == 8


def test_another_hubs_lock_is_not_asked_of_this_one(verihub, scripted, lock):
    edit(lock, "hub.example", "else.example")
    scripted.asked.clear()
    said = verihub("sync")
    assert (said.code, scripted.asked) == (2, [])
    assert "made with another hub" in said.err


def test_a_release_with_other_bytes_than_the_lock_says_is_refused(verihub, lock, scripted):
    digest = scripted.releases[TARGET][0].digest
    edit(lock, digest, "sha256:" + "0" * 64)
    assert verihub("sync").code == 7


def test_a_release_whose_size_was_edited_is_refused(verihub, lock, scripted):
    size = scripted.releases[TARGET][0].size_bytes
    edit(lock, f"size_bytes = {size}", "size_bytes = 1")
    said = verihub("sync")
    assert said.code == 7
    assert "another size" in said.err


@pytest.mark.parametrize(("state", "code"), [(ReleaseState.YANKED, 0), (ReleaseState.QUARANTINED, 9)])
def test_a_yanked_pin_passes_and_a_quarantined_one_says_that_the_lock_names_it(verihub, scripted, lock, state, code):
    scripted.releases[TARGET].clear()
    scripted.add(make_wheel(), state=state)
    said = verihub("sync")
    assert said.code == code
    assert ("the lock pins this release, but it cannot be used" in said.err) is (code == 9)


@pytest.mark.parametrize(("text", "code"), [(None, 4), ("[", 7), ("", 7), ("package = 7", 7)])
def test_a_file_that_is_no_lock_is_said(verihub, scripted, own_folders, text, code):
    if text is not None:
        (own_folders / "verihub.lock").write_text(text)
    said = verihub("sync")
    assert (said.code, scripted.asked) == (code, [])
    assert "verihub.lock" in said.err
