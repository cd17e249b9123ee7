"""Sent into a builder container as text: prints a tar of byte code for every module below a folder.

Standard library only. Arguments: the folder (empty: the standard library) and where that folder will lie in the image
(empty: where it is). Compiling parses a stranger's source and executes none of it.
"""

import importlib.util
import io
import marshal
import os
import sys
import tarfile
from pathlib import Path

# PEP 552: found by a hash of the source that nobody checks, so it stays valid whatever time stamps a layer carries.
_UNCHECKED_HASH = (1).to_bytes(4, "little")


def byte_code(path: Path, shown: str) -> bytes | None:
    """The content of a ``.pyc`` for ``path``, whose tracebacks name ``shown``; None where it does not compile."""
    source = path.read_bytes()
    try:
        code = compile(source, shown, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # a template, or another Python's syntax
        return None
    return importlib.util.MAGIC_NUMBER + _UNCHECKED_HASH + importlib.util.source_hash(source) + marshal.dumps(code)


def main(root: Path, destination: Path) -> None:
    """Write the tar to standard output; names are relative to ``destination``."""
    with tarfile.open(fileobj=sys.stdout.buffer, mode="w|") as out:
        for path in sorted(root.rglob("*.py")):
            module = path.relative_to(root)
            data = byte_code(path, str(destination / module)) if path.is_file() else None
            if data is not None:
                entry = tarfile.TarInfo(importlib.util.cache_from_source(str(module)))
                entry.size = len(data)
                out.addfile(entry, io.BytesIO(data))


if __name__ == "__main__":
    library = Path(os.__file__).parent
    main(Path(sys.argv[1]) if sys.argv[1] else library, Path(sys.argv[2]) if sys.argv[2] else library)
