"""A project folder before anything is built of it: a beginner's mistakes each get a sentence."""

import pytest

from hub_client.errors import CheckFailedError, NotFoundError
from hub_client.packaging.project import MAX_TEXT_BYTES, read_project
from tests.making.project import make_project


@pytest.fixture
def folder(tmp_path):
    return make_project(tmp_path / "project")


def test_a_starter_is_read(folder):
    project = read_project(folder)
    assert project.manifest.id == "alice/my-check"
    assert project.package_folder == folder / "src/alice_my_check"


def test_a_folder_that_is_not_there_is_not_found(tmp_path):
    with pytest.raises(NotFoundError, match="nowhere is not a folder"):
        read_project(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (b"", "pyproject.toml"),
        (b"[project", "pyproject.toml"),
        (b"\xff\xfe", "pyproject.toml"),
        (b"project = 7\n", "pyproject.toml"),
        (b"#" * (MAX_TEXT_BYTES + 1), "pyproject.toml"),
    ],
    ids=["empty", "broken", "bytes", "no table", "huge"],
)
def test_a_broken_pyproject_is_named(folder, text, word):
    (folder / "pyproject.toml").write_bytes(text)
    with pytest.raises(CheckFailedError, match=word):
        read_project(folder)


@pytest.mark.parametrize(
    "text", [b"", b"format = ", b"\xff\xfe", b"format = 99\n", b"#" * (MAX_TEXT_BYTES + 1)],
    ids=["empty", "broken", "bytes", "format", "huge"],
)  # fmt: skip
def test_a_broken_manifest_is_named(folder, text):
    (folder / "src/alice_my_check/verihub.toml").write_bytes(text)
    with pytest.raises(CheckFailedError, match=r"verihub\.toml"):
        read_project(folder)


def test_a_project_without_a_manifest_is_told_where_it_belongs(folder):
    (folder / "src/alice_my_check/verihub.toml").unlink()
    with pytest.raises(CheckFailedError, match=r"verihub\.toml"):
        read_project(folder)
