"""Byte code of strangers' sources: compiled and never run, and one that does not compile spoils no other."""

import importlib.util
import io
import marshal
import subprocess
import sys
import tarfile
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

from sandbox.images import compile_in_box
from sandbox.images.compile_in_box import byte_code

DEEP = 100_000


def compiled(root: Path, destination: str = "/verihub/x") -> dict[str, bytes]:
    """What the program prints, run as in a builder container."""
    command = [sys.executable, "-I", "-S", "-B", str(compile_in_box.__file__), str(root), destination]
    done = subprocess.run(command, capture_output=True, check=True)
    with tarfile.open(fileobj=io.BytesIO(done.stdout), mode="r:") as tar:
        return {item.name: tar.extractfile(item).read() for item in tar}


@pytest.mark.parametrize(
    "source",
    [
        b"def {{ cookiecutter.name }}(): pass",
        b"print 'Python 2'",
        b"a\0b",
        b"\xff\xfe\x00",
        b"x = '\xe9'",
        b"# coding: nonsense\nx = 1",
        b"# coding: hex\n61",
        b"x = " + b"9" * 10_000,
        b"(" * DEEP,
        b"not " * DEEP + b"1",
        b"-" * DEEP + b"1",
        b"1" + b"+1" * DEEP,
        b"a" + b".b" * DEEP,
        b"if a:\n pass\n" + b"elif a:\n pass\n" * 20_000,
    ],
    ids=lambda source: repr(source[:20]),
)
def test_what_does_not_compile_is_left_out(tmp_path: Path, source: bytes) -> None:
    (tmp_path / "m.py").write_bytes(source)
    assert byte_code(tmp_path / "m.py", "m.py") is None


def test_every_module_is_found_and_nothing_else(tmp_path: Path) -> None:
    sources = {
        "a.py": "A = 1",
        "pack/__init__.py": "",
        "pack/b.c.py": "B = 1",
        "pack/broken.py": "def",
        "pack/data.txt": "x",
        "folder.py/inner.py": "C = 1",  # a folder may be called so
        "folder.py/data": "x",
    }
    for name, text in sources.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    tag = sys.implementation.cache_tag
    folders = {"": ["a"], "pack/": ["__init__", "b.c"], "folder.py/": ["inner"]}
    wanted = {f"{folder}__pycache__/{name}.{tag}.pyc" for folder, names in folders.items() for name in names}
    first = compiled(tmp_path)
    assert set(first) == wanted
    assert compiled(tmp_path) == first, "and it is the same each time"


def test_nothing_of_a_source_is_run(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    (tmp_path / "sitecustomize.py").write_text(f"open({str(mark)!r}, 'w')")
    (tmp_path / "tarfile.py").write_text(f"open({str(mark)!r}, 'w')")
    (tmp_path / "m.py").write_text(f"X = open({str(mark)!r}, 'w')")
    assert len(compiled(tmp_path)) == 3
    assert not mark.exists()


def test_tracebacks_name_the_place_in_the_image(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("def f():\n    return 1")
    [data] = compiled(tmp_path, "/verihub/package").values()
    assert marshal.loads(data[16:]).co_filename == "/verihub/package/m.py"


def test_an_interpreter_takes_it_whatever_the_time_of_the_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Layers carry no times. The source differs here, to show which of the two was taken."""
    monkeypatch.setattr(sys, "pycache_prefix", None)
    path = tmp_path / "some_module.py"
    path.write_text("VALUE = 'compiled'")
    cached = Path(importlib.util.cache_from_source(str(path)))
    cached.parent.mkdir()
    cached.write_bytes(byte_code(path, "shown") or b"")
    path.write_text("VALUE = 'from the source'")
    code = SourceFileLoader("some_module", str(path)).get_code("some_module")
    assert code is not None
    assert "compiled" in code.co_consts
