"""Byte code made ahead of time, in a container: a read-only box could not keep what it compiles at every start."""

import io
import tarfile
from collections.abc import Mapping
from importlib.resources import files as resources

from sandbox.images.engine import ImageEngine
from sandbox.images.errors import ImageEngineError
from sandbox.images.layers import tar_of


def compiled_standard_library(engine: ImageEngine, base: str, timeout_seconds: float) -> dict[str, bytes]:
    """Path below the standard library's folder -> byte code, for every module of it."""
    return _run(engine, base, {}, "", timeout_seconds)


def compiled(
    engine: ImageEngine, base: str, root: str, files: Mapping[str, bytes], timeout_seconds: float
) -> dict[str, bytes]:
    """Path below ``root`` -> byte code, for every ``.py`` among ``files``; what does not compile is left out."""
    sources = {name: data for name, data in files.items() if name.endswith(".py")}
    return _run(engine, base, sources, root, timeout_seconds) if sources else {}


def standard_library_folder(engine: ImageEngine, base: str, timeout_seconds: float) -> str:
    """Where the base image keeps its standard library."""
    command = ["python3", "-I", "-S", "-c", "import os; print(os.path.dirname(os.__file__))"]
    return engine.run_once(base, command, tar_of({}), timeout_seconds).decode().strip()


def _run(
    engine: ImageEngine, base: str, sources: Mapping[str, bytes], root: str, timeout_seconds: float
) -> dict[str, bytes]:
    program = (resources("sandbox.images") / "compile_in_box.py").read_text()
    command = ["python3", "-I", "-S", "-B", "-c", program, "/work" if root else "", root]
    data = engine.run_once(base, command, tar_of(sources), timeout_seconds)
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as tar:
            return {entry.name: _content(tar, entry) for entry in tar if entry.isreg() and _is_byte_code(entry.name)}
    except tarfile.TarError as error:
        raise ImageEngineError(f"the compile step answered with something that is not a tar: {error}") from None


def _is_byte_code(name: str) -> bool:
    """Whether ``name`` lies below the folder that was compiled, and where an interpreter looks for byte code."""
    *folders, folder, file = ("", *name.split("/"))
    return folder == "__pycache__" and file.endswith(".pyc") and not {"", ".", ".."}.intersection(folders[1:])


def _content(tar: tarfile.TarFile, entry: tarfile.TarInfo) -> bytes:
    stream = tar.extractfile(entry)
    return stream.read() if stream is not None else b""
