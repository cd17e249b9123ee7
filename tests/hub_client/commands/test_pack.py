"""A project to its wheel from a shell: the same bytes each time, a list that writes nothing, and no secret packed."""

import hashlib

import pytest

from tests.making.project import make_project


@pytest.fixture
def folder(tmp_path):
    return make_project(tmp_path / "project")


def test_the_same_files_give_the_same_bytes_and_the_digest_is_theirs(verihub, folder, own_folders):
    first = verihub("pack", folder, "--format", "json").json
    data = (own_folders / first["path"]).read_bytes()
    assert first["digest"] == "sha256:" + hashlib.sha256(data).hexdigest()
    assert first["size_bytes"] == len(data)
    assert verihub("pack", folder, "--out", "a/b", "-q").out.strip() == "a/b/alice_my_check-0.1.0-py3-none-any.whl"
    assert (own_folders / "a/b/alice_my_check-0.1.0-py3-none-any.whl").read_bytes() == data


def test_a_list_shows_every_file_and_writes_none(verihub, folder, own_folders):
    said = verihub("pack", folder, "--list", "-q")
    assert "alice_my_check/verihub.toml" in said.out.split()
    assert list(own_folders.iterdir()) == []


@pytest.mark.parametrize(("name", "words"), [("server.key", "name of a secret"), (".env", "is hidden")])
def test_a_secret_is_refused_and_no_wheel_is_left(verihub, folder, own_folders, name, words):
    (folder / "src/alice_my_check" / name).write_text("hunter2")
    said = verihub("pack", folder)
    assert (said.code, list(own_folders.iterdir())) == (6, [])
    assert words in said.err
    assert "hunter2" not in said.err


def test_a_linked_manifest_is_refused(verihub, folder, tmp_path):
    manifest = folder / "src/alice_my_check/verihub.toml"
    manifest.rename(tmp_path / "moved.toml")
    manifest.symlink_to(tmp_path / "moved.toml")
    said = verihub("pack", folder)
    assert said.code == 6
    assert "is a link" in said.err


def test_a_newcomer_in_an_empty_folder_is_told_what_writes_a_project(verihub, own_folders):
    said = verihub("pack")
    assert said.code == 6
    assert "`verihub init` writes one" in said.err


def test_a_wheel_is_not_written_through_a_link(verihub, folder, own_folders, tmp_path):
    (tmp_path / "victim").write_text("precious")
    (own_folders / "dist").mkdir()
    (own_folders / "dist/alice_my_check-0.1.0-py3-none-any.whl").symlink_to(tmp_path / "victim")
    assert verihub("pack", folder).code == 0
    assert (tmp_path / "victim").read_text() == "precious"
