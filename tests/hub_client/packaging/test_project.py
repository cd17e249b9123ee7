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


@pytest.mark.parametrize("name", ["pyproject.toml", "src/alice_my_check/verihub.toml"])
@pytest.mark.parametrize("inside", [True, False], ids=["to a file of the project", "out of the project"])
def test_a_link_is_not_followed_and_what_it_leads_to_is_not_quoted(folder, tmp_path, name, inside):
    target = folder / "elsewhere.toml" if inside else tmp_path / "private.toml"
    (folder / name).rename(target)
    target.write_text("secret = hunter2\n")
    (folder / name).symlink_to(target)
    with pytest.raises(CheckFailedError, match="is a link, or lies behind one: put a copy") as caught:
        read_project(folder)
    assert "hunter2" not in str(caught.value)


def test_a_package_folder_that_is_a_link_is_refused(folder, tmp_path):
    (folder / "src").rename(tmp_path / "moved")
    (folder / "src").symlink_to(tmp_path / "moved")
    with pytest.raises(CheckFailedError, match="lies behind one"):
        read_project(folder)


def test_a_link_to_nothing_is_called_a_link(folder):
    (folder / "pyproject.toml").unlink()
    (folder / "pyproject.toml").symlink_to("nowhere")
    with pytest.raises(CheckFailedError, match="is a link"):
        read_project(folder)


@pytest.mark.parametrize("way", ["link", "dots", "relative"])
def test_the_project_itself_may_be_reached_in_any_way(folder, tmp_path, monkeypatch, way):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "way").symlink_to(folder)
    path = {"link": tmp_path / "way", "dots": folder / "src/..", "relative": folder.relative_to(tmp_path)}[way]
    assert read_project(path).manifest.id == "alice/my-check"
