"""What a compile step answers is a stranger's tar: only byte code of the right place is taken from it."""

import contextlib
import io
import sys
import tarfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.images.byte_code import compiled, compiled_standard_library, standard_library_folder
from sandbox.images.errors import ImageEngineError
from tests.sandbox.images.conftest import MemoryEngine

FILES = {"pack/a.py": b"A = 1", "pack/broken.py": b"def", "pack/data.txt": b"x", "pack/lib.so": b"\x7fELF"}


class Told(MemoryEngine):
    """Answers what a test says, and keeps what it was asked."""

    def __init__(self, answer: bytes) -> None:
        super().__init__()
        self.answer = answer
        self.asked: list[tuple[list[str], bytes, float]] = []

    def run_once(self, reference: str, command: list[str], work: bytes, timeout_seconds: float) -> bytes:
        self.asked.append((command, work, timeout_seconds))
        return self.answer


def tar_with(*names: str, kind: bytes = tarfile.REGTYPE) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name in names:
            item = tarfile.TarInfo(name)
            item.type, item.linkname, item.size = kind, "/etc/passwd", 4 if kind == tarfile.REGTYPE else 0
            tar.addfile(item, io.BytesIO(b"code"))
    return buffer.getvalue()


def test_modules_are_compiled_for_the_place_where_they_will_lie(engine: MemoryEngine) -> None:
    code = compiled(engine, "base", "/verihub/dependencies", FILES, 60.0)
    assert list(code) == [f"pack/__pycache__/a.{sys.implementation.cache_tag}.pyc"]
    assert b"/verihub/dependencies/pack/a.py" in code.popitem()[1]


def test_a_builder_is_handed_sources_and_nothing_else() -> None:
    engine = Told(tar_with())
    compiled(engine, "base", "/verihub/x", FILES, 7.0)
    [(command, work, seconds)] = engine.asked
    with tarfile.open(fileobj=io.BytesIO(work)) as tar:
        assert {item.name for item in tar if item.isreg()} == {"pack/a.py", "pack/broken.py"}
    assert command[:4] == ["python3", "-I", "-S", "-B"]
    assert (command[-2:], seconds) == (["/work", "/verihub/x"], 7.0)


def test_without_sources_no_container_is_made() -> None:
    engine = Told(b"")
    assert compiled(engine, "base", "/verihub/x", {"data.txt": b"x"}, 60.0) == {}
    assert engine.asked == []


def test_the_standard_library_is_compiled_where_it_is() -> None:
    engine = Told(tar_with("__pycache__/os.cpython-311.pyc", "json/__pycache__/decoder.cpython-311.pyc"))
    assert set(compiled_standard_library(engine, "base", 60.0)) == {
        "__pycache__/os.cpython-311.pyc",
        "json/__pycache__/decoder.cpython-311.pyc",
    }
    assert engine.asked[0][0][-2:] == ["", ""]


def test_a_folder_is_a_line() -> None:
    assert standard_library_folder(Told(b"/usr/lib/python3.11\n"), "base", 60.0) == "/usr/lib/python3.11"


@pytest.mark.parametrize(
    "name",
    [
        "../guest/__pycache__/zygote.cpython-311.pyc",
        "pack/../../guest/__pycache__/zygote.cpython-311.pyc",
        "/verihub/guest/__pycache__/zygote.cpython-311.pyc",
        "pack//__pycache__/a.pyc",
        "./__pycache__/a.pyc",
        "pack/a.py",
        "pack/a.so",
        "sitecustomize.py",
        "__pycache__",
        "a.pyc",
        "__pycache__/a.so",
        "pack/__pycache__/inner/a.pyc",
    ],
)
def test_what_is_no_byte_code_of_that_place_goes_into_no_image(name: str) -> None:
    """Compiling runs nothing of a source; an interpreter that was subverted by one could still answer with this."""
    engine = Told(tar_with(name, "pack/__pycache__/a.pyc"))
    assert list(compiled(engine, "base", "/verihub/x", FILES, 60.0)) == ["pack/__pycache__/a.pyc"]


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE])
def test_what_is_no_file_is_no_byte_code(kind: bytes) -> None:
    assert compiled(Told(tar_with("pack/__pycache__/a.pyc", kind=kind)), "base", "/x", FILES, 60.0) == {}


@settings(max_examples=60)
@given(st.binary(max_size=2000) | st.integers(0, 2048).map(lambda end: tar_with("pack/__pycache__/a.pyc")[:end]))
def test_any_answer_is_byte_code_or_a_fault_of_the_step(answer: bytes) -> None:
    with contextlib.suppress(ImageEngineError):
        code = compiled(Told(answer), "base", "/x", FILES, 60.0)
        assert all("__pycache__" in name for name in code)


@settings(max_examples=60)
@given(st.integers(0, 511), st.binary(min_size=1, max_size=12))
def test_a_header_that_lies_is_a_fault_of_the_step_too(at: int, lie: bytes) -> None:
    answer = bytearray(tar_with("pack/__pycache__/a.pyc"))
    answer[at : at + len(lie)] = lie
    answer[148:156] = b"        "
    answer[148:156] = b"%06o\0 " % sum(answer[:512])
    with contextlib.suppress(ImageEngineError):
        code = compiled(Told(bytes(answer)), "base", "/x", FILES, 60.0)
        assert all("__pycache__" in name for name in code)
