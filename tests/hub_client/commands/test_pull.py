"""Releases onto this machine: verified or not at all, and nothing of the user's is written over."""

import pytest

from schemas.package import ReleaseState
from tests.making.wheel import make_wheel

TARGET = "alice/small-sums"


def test_a_release_is_fetched_once_and_its_place_is_said(verihub, scripted, own_folders):
    release = scripted.add(make_wheel())
    path = verihub("pull", TARGET, "-q").out.strip()
    assert verihub("pull", TARGET, "--format", "json").json["items"] == [
        {"reference": f"{TARGET}@1.0.0", "digest": release.digest, "path": path}
    ]
    assert [call for call in scripted.asked if call.endswith("/wheel")] == [
        f"GET /packages/{TARGET}/releases/1.0.0/wheel"
    ]


@pytest.mark.parametrize("sent", [b"", b"no wheel", make_wheel(version="1.0.1")], ids=["empty", "junk", "another"])
def test_other_bytes_than_the_digest_says_are_not_kept(verihub, scripted, tmp_path, sent):
    scripted.add(make_wheel(), sent=sent)
    said = verihub("pull", TARGET, "--unpack", "here")
    assert said.code in (7, 8), said.err
    assert not list((tmp_path / "cache").rglob("*.whl"))
    assert not (tmp_path / "work/here").exists()


def test_files_are_unpacked_into_a_new_folder_with_the_wheels_content(verihub, scripted, own_folders):
    scripted.add(make_wheel())
    assert verihub("pull", TARGET, "--unpack", "new/deep").code == 0
    assert (own_folders / "new/deep/alice_small_sums/tasks.jsonl").read_text().startswith('{"id": "t1"')


def test_a_folder_with_something_in_it_is_left_as_it_is(verihub, scripted, own_folders):
    scripted.add(make_wheel())
    (own_folders / "mine").mkdir()
    (own_folders / "mine/diary").write_text("dear")
    said = verihub("pull", TARGET, "--unpack", "mine")
    assert (said.code, [path.name for path in (own_folders / "mine").iterdir()]) == (5, ["diary"])
    assert "name a new folder" in said.err


def test_two_packages_do_not_share_a_folder(verihub, scripted):
    assert verihub("pull", TARGET, "bob/x", "--unpack", "here").code == 2
    assert scripted.asked == []


def test_a_pin_that_was_yanked_is_fetched_with_its_reason(verihub, scripted):
    scripted.add(make_wheel(), state=ReleaseState.YANKED, state_reason="accepts all")
    said = verihub("pull", f"{TARGET}@1.0.0")
    assert said.code == 0
    assert "is yanked: accepts all" in said.err


@pytest.mark.parametrize("name", ["../x", "alice", "alice/x/y", "./folder", ""])
def test_what_is_no_reference_is_refused_before_the_hub_is_asked(verihub, scripted, name):
    scripted.add(make_wheel())
    assert verihub("pull", TARGET, name).code == 2
    assert scripted.asked == []
