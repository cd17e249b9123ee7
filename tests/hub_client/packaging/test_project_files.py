import os

import pytest

from hub_client.errors import CheckFailedError
from hub_client.packaging.pack import pack
from hub_client.releases.cache import Cache
from tests.making.project import make_project


@pytest.fixture
def cache(tmp_path):
    return Cache(tmp_path / "cache")


@pytest.fixture
def project(tmp_path):
    folder = make_project(tmp_path / "x")
    return folder, folder / "src" / "alice_my_check"


@pytest.mark.parametrize("kind", ["file", "folder", "package", "src", "README.md", "LICENSE"])
def test_a_link_is_refused_wherever_it_is(tmp_path, project, cache, kind) -> None:
    folder, package = project
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key").write_text("my own")
    if kind == "file":
        (package / "notes.txt").symlink_to(secret / "key")
    elif kind == "folder":
        (package / "data").symlink_to(secret)
    elif kind in ("package", "src"):
        moved = package if kind == "package" else package.parent
        moved.rename(tmp_path / "elsewhere")
        moved.symlink_to(tmp_path / "elsewhere")
    else:
        (folder / kind).unlink(missing_ok=True)
        (folder / kind).symlink_to(secret / "key")
    for trust in (False, True):
        with pytest.raises(CheckFailedError, match="link"):
            pack(folder, cache, trust_build=trust)


SECRETS = [
    ".env", ".netrc", "id_rsa", "id_ed25519", "credentials.toml", "server.pem", "deploy.key", ".ssh/config", "secrets.yaml",
    "data/Credentials.json",
]  # fmt: skip


@pytest.mark.parametrize("name", SECRETS)
def test_what_looks_like_a_secret_is_refused_unless_the_manifest_allows_it(project, cache, name) -> None:
    folder, package = project
    place = package / name
    place.parent.mkdir(exist_ok=True)
    place.write_text("x")
    with pytest.raises(CheckFailedError, match="it would be public") as caught:
        pack(folder, cache)
    assert f"src/alice_my_check/{name}" in str(caught.value)
    manifest = package / "verihub.toml"
    manifest.write_text(manifest.read_text().replace("tags =", f'allow_files = ["{name}"]\ntags =', 1))
    assert f"alice_my_check/{name}" in pack(folder, cache).contents.files


def test_a_private_key_is_found_by_what_is_in_it(project, cache) -> None:
    folder, package = project
    (package / "notes.txt").write_text("-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blbn\n")
    with pytest.raises(CheckFailedError, match=r"notes\.txt holds a private key"):
        pack(folder, cache)


def test_what_gitignore_names_and_what_tools_leave_behind_is_left_out(project, cache) -> None:
    folder, package = project
    (folder / ".gitignore").write_text("*.log\n/src/alice_my_check/big/\n.env\n")
    for name in ("x.log", "big/data.txt", ".env", "__pycache__/x.pyc", ".git/config", ".DS_Store", ".pytest_cache/x"):
        (package / name).parent.mkdir(exist_ok=True)
        (package / name).write_text("x")
    inside = {path for path in pack(folder, cache).contents.files if ".dist-info/" not in path}
    assert inside == {f"alice_my_check/{name}" for name in ("__init__.py", "audit.jsonl", "verihub.toml")}


def test_the_repositorys_gitignore_is_read_from_its_own_folder(tmp_path, cache) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("/audit.jsonl\nsub/x/src/alice_my_check/notes.txt\n")
    folder = make_project(tmp_path / "sub" / "x")
    (folder / "src" / "alice_my_check" / "notes.txt").write_text("x")
    files = pack(folder, cache).contents.files
    assert "alice_my_check/audit.jsonl" in files
    assert "alice_my_check/notes.txt" not in files


def test_a_pipe_does_not_hang_the_command(project, cache) -> None:
    folder, package = project
    os.mkfifo(package / "pipe")
    with pytest.raises(CheckFailedError, match="not a regular file"):
        pack(folder, cache)


def test_a_file_that_no_hub_would_take_is_not_read(project, cache) -> None:
    folder, package = project
    with (package / "big.bin").open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(CheckFailedError, match="too large"):
        pack(folder, cache)


def test_a_repository_that_leaves_out_the_whole_project_has_no_say_about_its_files(tmp_path, cache) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("/builds/\n*.jsonl\n")
    folder = make_project(tmp_path / "builds" / "x")
    assert "alice_my_check/audit.jsonl" in pack(folder, cache).contents.files


def test_a_package_that_the_projects_own_gitignore_leaves_out_is_said_so(project, cache) -> None:
    (project[0] / ".gitignore").write_text("src/\n")
    with pytest.raises(
        CheckFailedError, match=r"src/alice_my_check is left out by \.gitignore, so nothing of it would"
    ):
        pack(project[0], cache)
