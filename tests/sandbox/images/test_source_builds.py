"""Dependencies that exist only as source: what a build may be, what it may not, and real builds in a box."""

import io
import json
import tarfile
import zipfile
from pathlib import Path

import pytest

from sandbox.backends.docker.source_builder import build_source
from sandbox.images import source_builds
from sandbox.images.errors import LockRefusedError
from sandbox.images.settings import ImageSettings
from sandbox.images.source_builds import build_from_source
from sandbox.images.wheelhouse import fetch_wheels
from schemas.names import digest_of
from schemas.wheels.requirements import LockedRequirement, parse_requirements_lock

FOUND: set[str] = set()
"""What pip has found in the index of :func:`answering`."""
BACKENDS = Path(source_builds.__file__).with_name("build_backends.lock")


def sdist(folder: Path, files: dict[str, str], name: str = "pure_thing", version: str = "1.0") -> Path:
    """A source archive in the index."""
    path = folder / f"{name}-{version}.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        for inner, text in {**files, "PKG-INFO": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"}.items():
            entry = tarfile.TarInfo(f"{name}-{version}/{inner}")
            entry.size = len(text.encode())
            tar.addfile(entry, io.BytesIO(text.encode()))
    return path


@pytest.fixture
def index(tmp_path, monkeypatch):
    """pip sees one folder and no network."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return folder


def wheel_of(files: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


@pytest.fixture
def answering(engine, settings, index, monkeypatch):
    """Builds ``pure-thing`` where the box answers what the test says. Once a run pip looks for it, a second of CPU."""
    monkeypatch.setattr(source_builds, "fetch_wheels", lambda *_: ())
    archive, look = sdist(index, {"setup.py": ""}), source_builds._find_source

    def find(requirement: str, *more: object) -> Path:
        if requirement not in FOUND:
            assert look(requirement, *more).read_bytes() == archive.read_bytes()
            FOUND.add(requirement)
        return archive

    monkeypatch.setattr(source_builds, "_find_source", find)

    def build(header: object, data: bytes = b"", digests: tuple[str, ...] = (), requirement: str = "pure-thing"):
        text = header if isinstance(header, bytes) else json.dumps(header).encode()
        monkeypatch.setattr(engine, "run_once", lambda *_: text + b"\n" + data)
        return build_from_source(engine, settings, requirement, "3.11", digests)

    return build


GOOD = {"file": "/build/out/pure_thing-1.0-py3-none-any.whl"}


def test_the_wheel_is_the_same_whatever_order_dates_and_compression_the_backend_chose(answering) -> None:
    one = answering(GOOD, wheel_of({"a.py": "1", "b.py": "2"}))
    other = answering(GOOD, wheel_of({"b.py": "2", "a.py": "1"}))
    assert one == other
    assert one.file_name == "pure_thing-1.0-py3-none-any.whl"
    assert answering(GOOD, wheel_of({"a.py": "1", "b.py": "2"}), (one.source_digest, one.digest)) == one


@pytest.mark.parametrize(
    ("header", "data", "words"),
    [
        ({"file": "pure_thing-1.0-cp311-cp311-linux_x86_64.whl"}, {"a.py": ""}, "has C extensions"),
        (GOOD, {"a.cpython-311-x86_64-linux-gnu.so": ""}, "has C extensions"),
        ({"file": "other-1.0-py3-none-any.whl"}, {"a.py": ""}, "which is not pure-thing"),
        ({"file": "../../pure.whl"}, {"a.py": ""}, "no wheel"),
        ({"file": 7}, {"a.py": ""}, "no wheel"),
        ({"error": "ModuleNotFoundError: No module named 'Cython'"}, None, "needs Cython to be built"),
        ({"error": "Traceback\nValueError: no luck"}, None, "without network: ValueError: no luck"),
        ({"error": ["x"]}, None, "could not be built"),
        ([1], None, "ended without an answer"),
        (b"[" * 100_000, None, "ended without an answer"),
        (b"\xff\xfe", None, "ended without an answer"),
        (GOOD, None, "no wheel"),
    ],
)
def test_what_a_build_says_is_believed_only_where_it_is_a_pure_wheel_of_that_name(
    answering, header, data, words
) -> None:
    with pytest.raises(LockRefusedError, match=words):
        answering(header, wheel_of(data) if data else b"")


def test_other_bytes_than_locked_are_refused_before_and_after_the_build(answering, index) -> None:
    source = digest_of(next(index.glob("*.tar.gz")).read_bytes())
    with pytest.raises(LockRefusedError, match="the index has other bytes"):
        answering(GOOD, wheel_of({"a.py": ""}), ("sha256:" + "0" * 64,))
    with pytest.raises(LockRefusedError, match="built into other bytes"):
        answering(GOOD, wheel_of({"a.py": ""}), (source,))


def test_where_no_index_has_it_the_error_says_so(answering) -> None:
    with pytest.raises(LockRefusedError, match="neither a wheel nor a source archive of nobody-made-this"):
        answering(GOOD, requirement="nobody-made-this")


def test_the_backends_are_pinned() -> None:
    locked, faults = parse_requirements_lock(BACKENDS.read_text())
    assert not faults
    assert {"setuptools", "hatchling", "flit-core", "poetry-core", "wheel"} <= {item.name for item in locked}


def test_a_lock_of_a_source_is_fetched_by_building_it(settings, index) -> None:
    data = wheel_of({"a.py": ""})
    built = source_builds.BuiltWheel("pure_thing-1.0-py3-none-any.whl", data, "sha256:" + "1" * 64)
    asked = []

    def build(requirement, python, digests):
        asked.append((requirement, python))
        return built

    lock = [LockedRequirement(name="pure-thing", version="1.0", digests=(built.source_digest, built.digest))]
    [wheel] = fetch_wheels(lock, settings, python="3.13", build=build)
    assert (wheel.path.read_bytes(), f"sha256:{wheel.sha256}") == (data, built.digest)
    assert fetch_wheels(lock, settings, python="3.13", build=build) == (wheel,)
    assert asked == [("pure-thing==1.0", "3.13")]


# -- in a box --------------------------------------------------------------------------------------------------------

SETUP = "from setuptools import setup\nsetup(name='pure_thing', version='1.0', py_modules=['pure_thing'])\n"


def _project(backend: str, more: str = "") -> str:
    system = f'[build-system]\nrequires = []\nbuild-backend = "{backend}"\n'
    return f'{system}[project]\nname = "pure-thing"\nversion = "1.0"\ndescription = "d"\n{more}'


@pytest.fixture(scope="module")
def backends_are_here():
    """Fetched while pip's own index is there: the tests' index holds nothing else."""
    locked, _ = parse_requirements_lock(BACKENDS.read_text())
    fetch_wheels(locked, ImageSettings())


@pytest.mark.docker
@pytest.mark.parametrize(
    "files",
    [
        {"setup.py": SETUP},
        {"pyproject.toml": _project("hatchling.build")},
        {"pyproject.toml": _project("flit_core.buildapi")},
        {"pyproject.toml": _project("poetry.core.masonry.api", "[tool.poetry]\n")},
    ],
    ids=["setuptools", "hatchling", "flit", "poetry"],
)
def test_each_backend_builds_a_pure_package_in_a_box(backends_are_here, index, files) -> None:
    sdist(
        index,
        {**files, "pure_thing.py": "VALUE = 7\n"} if "setup.py" in files else {**files, "pure_thing/__init__.py": ""},
    )
    built = build_source("pure-thing", "3.11")
    with zipfile.ZipFile(io.BytesIO(built.data)) as archive:
        assert any(name.startswith("pure_thing") for name in archive.namelist())


@pytest.mark.docker
def test_a_build_has_no_network_no_compiler_and_no_say_in_the_answer(backends_are_here, index) -> None:
    probe = """
import os, socket, sys
found = [name for name in os.listdir("/sys/class/net") if name != "lo"] if os.path.isdir("/sys/class/net") else []
try:
    socket.create_connection(("192.0.2.1", 80), 1)
    found.append("connected")
except OSError:
    pass
print('{"file": "/etc/hostname"}')
writable = [f for f, _, _ in os.walk("/") if not f.startswith(("/proc", "/build", "/dev")) and os.access(f, os.W_OK)]
raise ValueError(f"saw {found} {os.getuid() != 0} {writable}")
"""
    sdist(index, {"setup.py": probe})
    with pytest.raises(LockRefusedError, match=r"ValueError: saw \[\] True \[\]"):
        build_source("pure-thing", "3.11")


@pytest.mark.docker
def test_a_c_extension_is_refused_by_name(backends_are_here, index) -> None:
    code = "from setuptools import Extension, setup\n"
    code += "setup(name='pure_thing', version='1.0', ext_modules=[Extension('fast', ['fast.c'])])\n"
    sdist(index, {"setup.py": code, "fast.c": "int x;\n"})
    with pytest.raises(LockRefusedError, match=r"pure_thing-1.0.tar.gz has C extensions and no wheel .*CPython 3.13"):
        build_source("pure-thing", "3.13")
