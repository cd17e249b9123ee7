import stat
import zipfile
from dataclasses import replace

import pytest

from sandbox.images import dependency_wheels
from sandbox.images.dependency_wheels import box_tags, read_locked_wheels
from sandbox.images.errors import LockRefusedError, WheelRefusedError
from sandbox.images.layers import digest_of_file
from sandbox.interface import LockedWheel


def locked_wheel(name, version, path):
    """A wheel file as a lock entry, with the hash that it has now."""
    return LockedWheel(name=name, version=version, sha256=digest_of_file(path).removeprefix("sha256:"), path=path)


def test_wheels_are_merged_as_an_installer_would_without_scripts_and_hooks(make_dependency):
    one = make_dependency(
        "one",
        files={
            "one/__init__.py": "1",
            "one-2.0.data/purelib/extra.py": "2",
            "one-2.0.data/scripts/run": "#!python",
            "one-2.0.data/data/share/man": "m",
            "one.pth": "import os",
            "one/__pycache__/x.pyc": b"\0",
            "one-2.0.dist-info/METADATA": "Name: one",
        },
    )
    two = make_dependency("two", files={"two/__init__.py": "3"})
    files = read_locked_wheels([one, two], "amd64")
    assert set(files) == {"one/__init__.py", "extra.py", "one-2.0.dist-info/METADATA", "two/__init__.py"}


def test_other_bytes_than_those_locked_are_refused(make_dependency):
    with pytest.raises(WheelRefusedError, match="but the lock says"):
        read_locked_wheels([replace(make_dependency(), sha256="0" * 64)], "amd64")


@pytest.mark.parametrize(
    "tags",
    ["cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64", "cp39-abi3-manylinux_2_28_x86_64", "py2.py3-none-any"],
)
def test_wheels_for_the_box_are_taken(make_dependency, tags):
    assert read_locked_wheels([make_dependency(tags=tags)], "amd64")


@pytest.mark.parametrize(
    "tags",
    [
        "cp312-cp312-manylinux_2_17_x86_64",
        "cp311-cp311-win_amd64",
        "cp311-cp311-manylinux_2_39_x86_64",
        "cp311-cp311-musllinux_1_2_x86_64",
    ],
)
def test_wheels_for_other_systems_are_refused(make_dependency, tags):
    with pytest.raises(LockRefusedError, match="does not fit the box"):
        read_locked_wheels([make_dependency(tags=tags)], "amd64")


def test_the_box_of_another_machine_takes_other_wheels():
    assert not {str(tag) for tag in box_tags("arm64")} & {"cp311-cp311-manylinux_2_17_x86_64"}
    assert "cp311-cp311-manylinux_2_17_aarch64" in {str(tag) for tag in box_tags("arm64")}


def test_a_source_archive_is_no_wheel(tmp_path):
    path = tmp_path / "dep-1.0.tar.gz"
    path.write_bytes(b"setup.py")
    with pytest.raises(LockRefusedError, match="is not a wheel"):
        read_locked_wheels([locked_wheel("dep", "1.0", path)], "amd64")


def test_a_wheel_under_another_name_is_refused(make_dependency):
    with pytest.raises(WheelRefusedError, match="which the lock names"):
        read_locked_wheels([replace(make_dependency(), name="other")], "amd64")


@pytest.mark.parametrize("name", ["../up.py", "/etc/passwd", "a/../../b.py", "a\\b.py", "C:/x.py", "a/./b.py", "nul"])
def test_unsafe_names_are_refused(make_dependency, name):
    with pytest.raises(WheelRefusedError):
        read_locked_wheels([make_dependency(files={name: "x"})], "amd64")


def test_links_are_refused(tmp_path):
    path = tmp_path / "dep-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        link = zipfile.ZipInfo("dep/link.py")
        link.create_system = 3
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(WheelRefusedError, match="link"):
        read_locked_wheels([locked_wheel("dep", "1.0", path)], "amd64")


def test_two_wheels_that_disagree_about_a_file_are_refused(make_dependency):
    one = make_dependency("one", files={"shared/__init__.py": "1"})
    same = make_dependency("same", files={"shared/__init__.py": "1"})
    other = make_dependency("other", files={"shared/__init__.py": "2"})
    assert read_locked_wheels([one, same], "amd64") == {"shared/__init__.py": b"1"}
    with pytest.raises(WheelRefusedError, match="overwrites"):
        read_locked_wheels([one, other], "amd64")


def test_sizes_are_capped_while_reading(make_dependency, monkeypatch):
    monkeypatch.setattr(dependency_wheels, "MAX_FILE_BYTES", 100)
    with pytest.raises(WheelRefusedError, match="is over"):
        read_locked_wheels([make_dependency(files={"big.py": "x" * 101})], "amd64")
    monkeypatch.setattr(dependency_wheels, "MAX_FILES", 1)
    with pytest.raises(WheelRefusedError, match="more than 1 files"):
        read_locked_wheels([make_dependency(files={"a.py": "x", "b.py": "x"})], "amd64")


def test_a_damaged_wheel_is_refused(make_dependency):
    wheel = make_dependency(files={"a.py": "x" * 500})
    data = bytearray(wheel.path.read_bytes())
    data[60] ^= 0xFF
    wheel.path.write_bytes(data)
    with pytest.raises(WheelRefusedError, match="cannot be read"):
        read_locked_wheels([locked_wheel("dep", "2.0", wheel.path)], "amd64")


def test_each_python_takes_its_own_wheels(make_dependency):
    wheel = make_dependency(tags="cp313-cp313-manylinux_2_17_x86_64")
    assert read_locked_wheels([wheel], "amd64", "3.13")
    with pytest.raises(LockRefusedError, match=r"does not fit the box \(CPython 3.11.*--relock"):
        read_locked_wheels([wheel], "amd64", "3.11")
    with pytest.raises(LockRefusedError, match=r"CPython 3.13"):
        read_locked_wheels([make_dependency(tags="cp311-cp311-manylinux_2_17_x86_64")], "amd64", "3.13")
