import pytest

from hub_client.cache import Cache
from hub_client.errors import CheckFailedError, HubUnreachableError
from hub_client.locking_dependencies import fetch_locked, lock_dependencies
from schemas.requirements import LockedRequirement
from tests.making.wheel import METADATA, make_wheel

NAME = "alice_small_sums-1.0.0-py3-none-any.whl"
NEEDY = METADATA.replace("Requires-Python: >=3.11\n", "Requires-Dist: alice-small-sums<2\n")


@pytest.fixture
def index(tmp_path, monkeypatch):
    """pip sees one folder of wheels and no network."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    (folder / NAME).write_bytes(make_wheel())
    (folder / "bob_needs_it-1.0.0-py3-none-any.whl").write_bytes(
        make_wheel(name="bob-needs-it", manifest="", metadata=NEEDY)
    )
    return folder


def test_a_dependency_is_locked_with_all_that_it_needs(index, tmp_path) -> None:
    locked = lock_dependencies(["bob-needs-it"], Cache(tmp_path / "cache"))
    assert [(item.name, item.version) for item in locked] == [("alice-small-sums", "1.0.0"), ("bob-needs-it", "1.0.0")]


def test_locked_wheels_are_fetched_once_by_hash_and_then_served_offline(index, tmp_path) -> None:
    locked = lock_dependencies(["bob-needs-it"], Cache(tmp_path / "one"))
    fresh = Cache(tmp_path / "two")
    with pytest.raises(HubUnreachableError, match=r"alice-small-sums 1\.0\.0, bob-needs-it"):
        fetch_locked(locked, fresh, offline=True)
    fetched = fetch_locked(locked, fresh, offline=False)
    assert [(item.name, digest) for item, digest, _ in fetched] == [(item.name, item.digests[0]) for item in locked]
    assert all(path.is_file() for _, _, path in fetched)
    for path in index.iterdir():
        path.unlink()
    assert fetch_locked(locked, fresh, offline=True) == fetched


def test_a_wheel_that_was_exchanged_is_refused(index, tmp_path) -> None:
    lock_dependencies(["bob-needs-it"], Cache(tmp_path / "one"))
    other = LockedRequirement(name="alice-small-sums", version="1.0.0", digests=("sha256:" + "0" * 64,))
    cache = Cache(tmp_path / "two")
    with pytest.raises(CheckFailedError, match="HASHES"):
        fetch_locked([other], cache, offline=False)
    assert cache.wheels() == []


def test_an_unknown_dependency_names_itself(index, tmp_path) -> None:
    with pytest.raises(CheckFailedError, match="no-such-thing"):
        lock_dependencies(["no-such-thing"], Cache(tmp_path / "one"))
