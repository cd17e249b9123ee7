import hashlib
import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from hub_client.errors import CheckFailedError, NotFoundError
from hub_client.files import write_atomically
from hub_client.packaging.pack import load_folder, open_wheel, pack
from hub_client.releases.cache import Cache
from hub_client.releases.dependencies import fetch_locked
from hub_client.terminal.phases import phases_on_stderr
from schemas.wheels.wheel import read_wheel
from tests.making.project import make_project
from tests.making.wheel import METADATA, make_wheel


@pytest.fixture
def cache(tmp_path):
    return Cache(tmp_path / "cache")


def test_the_same_files_give_the_same_bytes_wherever_and_whenever(tmp_path, cache) -> None:
    first = make_project(tmp_path / "one")
    second = tmp_path / "elsewhere" / "two"
    shutil.copytree(first, second)
    for path in second.rglob("*"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    script = second / "src" / "alice_my_check" / "__init__.py"
    script.chmod(0o755)
    (script.parent / "__pycache__").mkdir()
    (script.parent / "__pycache__" / "x.pyc").write_bytes(b"stale")
    assert pack(first, cache).data == pack(second, cache).data


def test_a_changed_file_gives_another_digest(tmp_path, cache) -> None:
    folder = make_project(tmp_path / "one")
    before = pack(folder, cache).digest
    readme = folder / "README.md"
    readme.write_text(readme.read_text() + "more\n")
    assert pack(folder, cache).digest != before


def test_a_packed_wheel_is_what_every_hub_accepts(tmp_path, cache) -> None:
    packed = pack(make_project(tmp_path / "one"), cache)
    contents = read_wheel(packed.data)
    assert packed.file_name == "alice_my_check-0.1.0-py3-none-any.whl"
    assert contents.manifest.id == "alice/my-check"
    assert contents.readme.startswith("# alice/my-check")


def test_faults_are_told_by_their_place_in_the_project(tmp_path, cache) -> None:
    folder = make_project(tmp_path / "one", files={"audit.jsonl": '{"id": "a"}\n'})
    with pytest.raises(CheckFailedError) as caught:
        pack(folder, cache)
    assert "src/alice_my_check/audit.jsonl:1: audit case without label" in str(caught.value)


def test_two_writers_of_one_file_do_not_disturb_each_other(tmp_path) -> None:
    (tmp_path / "dist").mkdir()
    target, content = tmp_path / "dist" / "x.whl", b"x" * 2**20
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: write_atomically(target, content), range(40)))
    assert target.read_bytes() == content
    assert [path.name for path in target.parent.iterdir()] == ["x.whl"]


def test_a_file_that_gitignore_leaves_out_is_explained(tmp_path, cache) -> None:
    folder = make_project(tmp_path / "one")
    (folder / ".gitignore").write_text("*.jsonl\n")
    with pytest.raises(CheckFailedError, match="gitignore"):
        pack(folder, cache)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda folder: (folder / "pyproject.toml").unlink(), "no pyproject.toml"),
        (lambda folder: (folder / "pyproject.toml").write_text("[project\n"), "not valid TOML"),
        (lambda folder: (folder / "pyproject.toml").write_text("[project]\nversion='1'\n"), "no name"),
        (lambda folder: next(folder.rglob("verihub.toml")).unlink(), "no verihub.toml"),
        (lambda folder: next(folder.rglob("verihub.toml")).write_text("format = 1\n"), "id is missing"),
        (lambda folder: (folder / "src/alice_my_check").rename(folder / "src/mine"), "must be called alice_my_check"),
    ],
)
def test_a_folder_that_is_no_project_says_what_is_missing(tmp_path, cache, change, word) -> None:
    folder = make_project(tmp_path / "one")
    change(folder)
    with pytest.raises(CheckFailedError, match=word):
        pack(folder, cache)


def test_a_path_that_is_no_folder_is_not_found(tmp_path, cache) -> None:
    with pytest.raises(NotFoundError, match="not a folder"):
        pack(tmp_path / "nowhere", cache)


def edit_pyproject(folder, old, new):
    path = folder / "pyproject.toml"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def test_a_backend_that_is_not_here_is_named_with_how_to_get_it(tmp_path, cache) -> None:
    folder = make_project(tmp_path / "one")
    edit_pyproject(folder, '"hatchling.build"', '"absent_backend.build"')
    edit_pyproject(folder, '["hatchling"]', '["absent-backend>=1"]')
    with pytest.raises(CheckFailedError, match="pip install 'absent-backend>=1'"):
        pack(folder, cache, trust_build=True)


def test_metadata_that_is_not_sound_is_told_to_the_author(tmp_path, cache) -> None:
    folder = make_project(tmp_path / "one")
    edit_pyproject(folder, 'license = "Apache-2.0"', 'license = "My Own"')
    with pytest.raises(CheckFailedError, match="My Own"):
        pack(folder, cache)


@pytest.fixture
def local_index(tmp_path, monkeypatch):
    """pip sees one folder of wheels and no network."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    for version in ("1.0.0", "1.1.0"):
        name = f"alice_small_sums-{version}-py3-none-any.whl"
        (folder / name).write_bytes(make_wheel(version=version, metadata=METADATA))
    return folder


def test_dependencies_are_locked_once_and_the_lock_travels_in_the_wheel(tmp_path, cache, local_index) -> None:
    folder = make_project(tmp_path / "one")
    edit_pyproject(folder, "dependencies = []", 'dependencies = ["alice-small-sums>=1"]')
    packed = pack(folder, cache)
    assert [(item.name, item.version) for item in packed.contents.lock] == [("alice-small-sums", "1.1.0")]
    assert cache.find_wheel(packed.contents.lock[0].digests[0])
    (local_index / "alice_small_sums-1.2.0-py3-none-any.whl").write_bytes(make_wheel(version="1.2.0"))
    assert pack(folder, cache).data == packed.data
    assert pack(folder, cache, relock=True).contents.lock[0].version == "1.2.0"


def test_resolving_and_fetching_say_so_before_they_begin(tmp_path, cache, local_index, capsys) -> None:
    folder = make_project(tmp_path / "one")
    edit_pyproject(folder, "dependencies = []", 'dependencies = ["alice-small-sums>=1"]')
    with phases_on_stderr():
        lock = pack(folder, cache).contents.lock
        fetch_locked(lock, Cache(tmp_path / "empty"), offline=False)
    assert capsys.readouterr().err == "resolving 1 dependency …\nfetching 1 dependency …\n"
    pack(folder, cache, relock=True)
    assert capsys.readouterr().err == "", "only the command line talks"


def test_a_dependency_that_cannot_be_built_is_refused_with_the_reason(
    tmp_path, cache, local_index, monkeypatch
) -> None:
    def refuse(requirement, python, digests):
        raise CheckFailedError(f"{requirement} has C extensions")

    monkeypatch.setattr("hub_client.execution.source_builds.build_source", refuse)
    folder = make_project(tmp_path / "one")
    edit_pyproject(folder, "dependencies = []", 'dependencies = ["only-source"]')
    with pytest.raises(CheckFailedError, match="only-source has C extensions"):
        pack(folder, cache)
    assert not (folder / "src/alice_my_check/requirements.lock").exists()


def test_a_wheel_file_is_read_as_it_is(tmp_path) -> None:
    path = tmp_path / "x.whl"
    path.write_bytes(make_wheel())
    assert open_wheel(path).digest == read_wheel(make_wheel()).digest
    path.write_bytes(b"no wheel")
    with pytest.raises(CheckFailedError, match="cannot be a release"):
        open_wheel(path)
    with pytest.raises(CheckFailedError, match="cannot be read"):
        open_wheel(tmp_path / "absent.whl")


def test_a_folder_counts_as_a_release_that_is_in_the_cache(tmp_path, cache) -> None:
    loaded = load_folder(make_project(tmp_path / "one"), cache)
    assert loaded.reference == "alice/my-check@0.1.0"
    assert cache.find_wheel(loaded.digest) == loaded.wheel
    assert loaded.release is None


def test_a_trusted_build_runs_in_a_process_of_its_own(tmp_path, cache) -> None:
    folder = make_project(tmp_path / "one")
    (folder / "backend.py").write_text("import sys\nsys.exit(9)\n")
    edit_pyproject(folder, '"hatchling.build"', '"backend"\nbackend-path = ["."]')
    with pytest.raises(CheckFailedError, match="exit status 9"):
        pack(folder, cache, trust_build=True)
    assert "backend" not in sys.modules


def test_a_dependency_by_url_is_refused_before_anything_is_fetched(tmp_path, cache) -> None:
    folder = make_project(tmp_path / "one")
    edit_pyproject(
        folder, "dependencies = []", 'dependencies = ["evil @ http://127.0.0.1:9/evil-1.0-py3-none-any.whl"]'
    )
    with pytest.raises(CheckFailedError, match="points to a URL"):
        pack(folder, cache)


def test_many_writers_of_one_file_leave_one_of_their_contents_and_readers_see_no_half(tmp_path) -> None:
    path, size = tmp_path / "out.whl", 2 * 2**20
    contents = [bytes([number]) * size for number in range(4)]
    write_atomically(path, contents[0])
    with ThreadPoolExecutor(8) as threads:
        writing = [threads.submit(write_atomically, path, data) for data in contents * 4]
        seen = [path.read_bytes() for _ in range(20)]
        for one in writing:
            one.result()
    assert {data in contents for data in [*seen, path.read_bytes()]} == {True}
    assert [file.name for file in tmp_path.iterdir() if file.is_file()] == ["out.whl"]


def test_a_link_planted_beside_a_file_is_not_written_through(tmp_path) -> None:
    victim, path, data = tmp_path / "victim", tmp_path / "out.whl", b"new"
    victim.write_bytes(b"precious")
    (tmp_path / f".out.whl.{hashlib.sha256(data).hexdigest()[:8]}.new").symlink_to(victim)
    write_atomically(path, data)
    assert (victim.read_bytes(), path.read_bytes(), path.is_symlink()) == (b"precious", data, False)
