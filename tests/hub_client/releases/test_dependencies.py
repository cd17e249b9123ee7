import itertools
import platform
import subprocess

import pytest

from hub_client.errors import CheckFailedError, HubUnreachableError
from hub_client.releases import dependencies
from hub_client.releases.cache import Cache
from hub_client.releases.dependencies import fetch_locked, lock_dependencies, lock_what_can_be_built
from sandbox.images.source_wheel import BuiltWheel
from schemas.wheels.requirements import LockedRequirement
from tests.making.altered_library import alter_library
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


@pytest.mark.parametrize("tag", ["manylinux_2_27", "manylinux_2_17", "manylinux_2_36", "manylinux2014"])
def test_a_wheel_for_any_older_c_library_is_found(index, tmp_path, tag: str) -> None:
    tag = f"py3-none-{tag}_{platform.machine()}"
    data = make_wheel(name="solver", manifest="", metadata=METADATA.replace("alice-small-sums", "solver"))
    (index / f"solver-1.0.0-{tag}.whl").write_bytes(data)
    assert [item.name for item in lock_dependencies(["solver"], Cache(tmp_path / "cache"))] == ["solver"]


def test_resolving_has_one_limit_for_all_calls_of_pip_and_says_what_to_do(index, tmp_path, monkeypatch) -> None:
    """Each of sixteen builds used to begin ten minutes of its own."""
    left = []
    clock = iter(range(0, 100_000, 400))

    def pip(_command, **given):
        left.append(given["timeout"])
        if given["timeout"] <= 0:
            raise subprocess.TimeoutExpired("pip", 0)
        missing = f"Could not find a version that satisfies the requirement source-{len(left)} (from versions: none)"
        return subprocess.CompletedProcess([], 1, "", missing)

    def build(requirement, *_):
        return BuiltWheel(f"{requirement.replace('-', '_')}-1.0.0-py3-none-any.whl", b"", SOURCE_DIGEST)

    monkeypatch.setattr("hub_client.execution.source_builds.build_source", build)
    alter_library(monkeypatch, dependencies, "subprocess", run=pip)
    alter_library(monkeypatch, dependencies, "time", monotonic=lambda: float(next(clock)))
    with pytest.raises(HubUnreachableError, match=r"\(bob-needs-it\) within 900 s.*pin them"):
        lock_dependencies(["bob-needs-it"], Cache(tmp_path / "one"))
    assert left == [500.0, 100.0, 0.0]


def test_an_unknown_dependency_names_itself(index, tmp_path) -> None:
    with pytest.raises(CheckFailedError, match="no-such-thing"):
        lock_dependencies(["no-such-thing"], Cache(tmp_path / "one"))


SOURCE_DIGEST = "sha256:" + "5" * 64


@pytest.fixture
def builder(monkeypatch):
    """A builder of sources in place of a box: it makes ``carol-source`` and refuses all else."""
    asked = []

    def build(requirement, python, digests):
        asked.append((requirement, python, tuple(digests)))
        if not requirement.startswith("carol-source"):
            raise CheckFailedError(f"{requirement} has C extensions and no wheel for the box")
        name = "carol_source-1.0.0-py3-none-any.whl"
        return BuiltWheel(name, make_wheel(name="carol-source", manifest=""), SOURCE_DIGEST)

    monkeypatch.setattr("hub_client.execution.source_builds.build_source", build)
    return asked


def _needing(folder, name: str, needed: str) -> None:
    metadata = METADATA.replace("Requires-Python: >=3.11\n", f"Requires-Dist: {needed}\n")
    wheel = make_wheel(name=name, manifest="", metadata=metadata)
    (folder / f"{name.replace('-', '_')}-1.0.0-py3-none-any.whl").write_bytes(wheel)


def test_what_exists_only_as_source_is_built_and_locked_with_its_archive(index, tmp_path, builder) -> None:
    _needing(index, "dan-needs-source", "carol-source")
    [carol, _] = locked = lock_dependencies(["dan-needs-source"], Cache(tmp_path / "one"), "3.13")
    assert len(carol.digests) == 2
    assert SOURCE_DIGEST in carol.digests
    fetched = fetch_locked(locked, Cache(tmp_path / "two"), offline=False, python="3.13")
    assert fetched[0][1] == carol.digests[0], "the wheel's, not the archive's"
    assert builder == [("carol-source", "3.13", ()), ("carol-source==1.0.0", "3.13", carol.digests)]


@pytest.mark.parametrize("chain", [[], ["eve-direct"], ["eve-direct", "eve-between"]])
def test_the_direct_dependency_that_brings_a_c_extension_is_named(index, tmp_path, builder, chain: list[str]) -> None:
    links = [*chain, "c-parser>=2"]
    for name, needed in itertools.pairwise(links):
        _needing(index, name, needed)
    with pytest.raises(CheckFailedError, match=r"c-parser.* has C extensions") as caught:
        lock_dependencies(["alice-small-sums", links[0]], Cache(tmp_path / "one"))
    named = "eve-direct, a dependency of this package, needs it"
    assert (named in str(caught.value)) == bool(chain), caught.value


def test_a_builder_that_does_not_help_is_asked_once(index, tmp_path, builder, monkeypatch) -> None:
    """It gives another version than was asked for, for ever."""
    with pytest.raises(CheckFailedError, match="carol-source>=2"):
        lock_dependencies(["carol-source>=2"], Cache(tmp_path / "one"))
    assert len(builder) == 1


def test_what_a_package_leaves_out_is_not_locked_nor_what_only_it_needs(index, tmp_path, builder) -> None:
    """``c-parser`` exists nowhere and cannot be built; ``bob-needs-it`` brings ``alice-small-sums``."""
    metadata = METADATA.replace(
        "Requires-Python: >=3.11\n", "Requires-Dist: bob-needs-it\nRequires-Dist: c-parser==2.1\n"
    )
    (index / "fay_library-1.0.0-py3-none-any.whl").write_bytes(
        make_wheel(name="fay-library", manifest="", metadata=metadata)
    )
    with pytest.raises(CheckFailedError, match=r"c-parser==2\.1 has C extensions.*fay-library") as refused:
        lock_dependencies(["fay-library", "alice-small-sums"], Cache(tmp_path / "one"))
    locked, why = lock_what_can_be_built(["fay-library", "alice-small-sums"], Cache(tmp_path / "one"))
    assert [item.name for item in locked] == ["alice-small-sums", "bob-needs-it", "fay-library"]
    assert why == {"c-parser": str(refused.value)}
    locked = lock_dependencies(["fay-library"], Cache(tmp_path / "one"), without=["C_Parser", "bob-needs-it"])
    assert [item.name for item in locked] == ["fay-library"]
    kept = lock_dependencies(["fay-library", "alice-small-sums"], Cache(tmp_path / "one"), without=["c-parser"])
    assert [item.name for item in kept] == ["alice-small-sums", "bob-needs-it", "fay-library"]


def test_a_package_cannot_leave_out_what_it_depends_on_itself(index, tmp_path) -> None:
    with pytest.raises(CheckFailedError, match="bob-needs-it"):
        lock_dependencies(["bob_needs_it"], Cache(tmp_path / "one"), without=["bob-needs-it"])
