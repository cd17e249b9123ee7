"""Sent into a builder container as text: unpacks a source archive, calls its build backend (PEP 517), prints the wheel.

Standard library only. Arguments: the archive, the folder of build backends, a folder to work in. It prints a line of
JSON and then the wheel's bytes. The archive's author may print something else, so the reader checks all of it.
"""

import importlib
import json
import os
import sys
import tarfile
import tomllib
import traceback
import zipfile
from pathlib import Path
from typing import Any

_LEGACY = "setuptools.build_meta:__legacy__"


def unpack(archive: Path, target: Path) -> Path:
    """The project's folder below ``target``."""
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(target)  # noqa: S202 -- in a container that holds nothing else
    else:
        with tarfile.open(archive) as opened_tar:
            opened_tar.extractall(target)  # noqa: S202 -- as above
    [folder] = [path for path in target.iterdir() if path.is_dir()]
    return folder


def backend_of(project: Path) -> Any:
    """The project's build backend; its folder is the working folder already."""
    path = project / "pyproject.toml"
    system = tomllib.loads(path.read_text()).get("build-system", {}) if path.exists() else {}
    sys.path[:0] = [str(project / place) for place in system.get("backend-path", [])]
    module, _, attribute = system.get("build-backend", _LEGACY).partition(":")
    backend: Any = importlib.import_module(module)
    for name in filter(None, attribute.split(".")):
        backend = getattr(backend, name)
    return backend


def build(archive: Path, work: Path) -> dict[str, str]:
    """``file``: where the wheel lies; or ``error``: what went wrong."""
    out = work / "out"
    out.mkdir()
    try:
        project = unpack(archive, work / "source")
        os.chdir(project)
        return {"file": str(out / backend_of(project).build_wheel(str(out), None, None))}
    except BaseException:  # noqa: BLE001 -- a build backend may raise anything
        return {"error": traceback.format_exc()[-6000:]}


def main(archive: Path, backends: str, work: Path) -> None:
    """Build with nothing on standard output but the answer."""
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    os.environ.update(HOME=str(work), TMPDIR=str(work), SOURCE_DATE_EPOCH="1580601600", LC_ALL="C.UTF-8")  # noqa: TID251 -- in a container
    sys.path.insert(0, backends)
    (work / "source").mkdir()
    result = build(archive, work)
    answer.write(json.dumps(result).encode() + b"\n")
    if "file" in result:
        answer.write(Path(result["file"]).read_bytes())
    answer.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), str(Path(sys.argv[2]).resolve()), Path(sys.argv[3]))
