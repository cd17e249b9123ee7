import pytest

from hub_client.errors import NotFoundError, UsageError
from hub_client.imports import packages
from hub_client.imports.draft import ImportRefusedError
from hub_client.imports.packages import BoxNeeds, open_package
from hub_client.imports.registry import Request
from tests.making.library import plain_wheel

RUNS = BoxNeeds(("library",), lambda files: ["extra"] if "small.py" in files else [], ("server",))


@pytest.fixture
def locked(monkeypatch) -> list:
    asked: list = []
    monkeypatch.setattr(packages, "lock_dependencies", lambda names, _, without: asked.append((names, without)) or [])
    return asked


@pytest.fixture
def folder(tmp_path):
    stated = ["library>=1", "server", "numpy>=2", "old; python_version < '3'"]
    (tmp_path / "pyproject.toml").write_text(f'[project]\nname = "small"\nversion = "2"\ndependencies = {stated}\n')
    (tmp_path / "small.py").write_text("A = 1\n")
    return tmp_path


def test_what_is_stood_in_for_and_what_nothing_runs_is_left_out(cache, folder, locked) -> None:
    package = open_package(Request(cache, str(folder)), "here", RUNS)
    package.require_module()
    needs = package.needs(cache)
    assert locked == [(["numpy>=2", "extra"], ("server",))], "what another dependency brings of it is left out too"
    assert (needs.dependencies, needs.without) == (["numpy>=2", "extra"], ("server",))


def test_a_wheel_says_the_same_in_its_metadata(cache, tmp_path, locked) -> None:
    place = tmp_path / "small-2-py3-none-any.whl"
    needs = ("library", "server>=3", "numpy; extra == 'fast'", "httpx")
    place.write_bytes(plain_wheel("small", "2", {"small.py": ""}, needs))
    package = open_package(Request(cache, str(place)), "here", RUNS)
    package.needs(cache)
    assert locked == [(["httpx", "extra"], ("server",))]
    assert (package.module, package.licence, list(package.copied)) == ("small", "Apache-2.0", ["small.py"])


def test_what_is_no_package_is_said(cache, folder, tmp_path, monkeypatch) -> None:
    with pytest.raises(UsageError, match="`verihub import here:"):
        open_package(Request(cache), "here", RUNS)
    with pytest.raises(NotFoundError, match="no folder and no wheel"):
        open_package(Request(cache, "gone.whl"), "here", RUNS)
    (folder / "small.py").unlink()
    with pytest.raises(NotFoundError, match="has no module small"):
        open_package(Request(cache, str(folder)), "here", RUNS).require_module()
    (folder / "pyproject.toml").write_text('[project]\ndependencies = ["a b c"]\n')
    with pytest.raises(UsageError, match=r"pyproject\.toml"):
        open_package(Request(cache, str(folder)), "here", RUNS).needs(cache)
    monkeypatch.setattr(packages, "_LARGEST", 3)
    with pytest.raises(ImportRefusedError, match="holds over"):
        _ = open_package(Request(cache, str(folder)), "here", RUNS).copied


def test_a_wheel_that_is_too_large_when_unpacked_is_not_read(cache, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(packages, "_LARGEST", 1000)
    place = tmp_path / "small-2-py3-none-any.whl"
    place.write_bytes(plain_wheel("small", "2", {"small.py": " " * 2000}))
    with pytest.raises(ImportRefusedError, match="holds over"):
        open_package(Request(cache, str(place)), "here", RUNS)


@pytest.mark.parametrize("name", ["src", "rows", "data", "src/small/data"])
def test_no_link_of_a_strangers_folder_brings_files_of_the_user(cache, tmp_path, name) -> None:
    """What is copied is published: a link to ``~/.ssh`` would give the user's key away."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "id_ed25519").write_text("a key")
    place = tmp_path / "env"
    (place / "src" / "small").mkdir(parents=True)
    (place / "src" / "small" / "__init__.py").write_text("A = 1\n")
    if name == "src":
        (place / "src").rename(place / "other")
    (place / name).symlink_to(tmp_path / "home")
    copied = open_package(Request(cache, str(place)), "here", RUNS).copied
    assert not [path for path, data in copied.items() if data == b"a key"]
    assert [path for path in copied if path.endswith("small/__init__.py")]


def test_a_file_without_end_is_not_read(cache, folder) -> None:
    with (folder / "huge.bin").open("wb") as file:
        file.truncate(1 << 42)
    with pytest.raises(ImportRefusedError, match="holds over"):
        _ = open_package(Request(cache, str(folder)), "here", RUNS).copied
