"""Makes small packages for the conformance checks, the attacks and the measurements."""

import io
import textwrap
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sandbox.interface import LockedWheel, Source
from schemas.names import digest_of, distribution_name, import_name
from schemas.wheels.wheel import read_wheel
from schemas.wheels.wheel_metadata import record_hash

TASK: dict[str, Any] = {"id": "t1", "prompt": "1+1?", "answer": "2", "info": {}, "tags": [], "split": "train"}
_METADATA = (
    "Metadata-Version: 2.4\nName: {}\nVersion: 1.0.0\nSummary: A sample\nLicense-Expression: Apache-2.0\n\n# Sample\n"
)
_WHEEL = "Wheel-Version: 1.0\nGenerator: verihub\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


@dataclass(frozen=True)
class Sample:
    """A small package. ``head``: more top-level lines of verihub.toml, in which PACKAGE is replaced by the name of the
    import package. ``files``: files beside ``__init__.py``.
    """

    code: str
    name: str = "sample"
    isolation: str = "call"
    timeout_seconds: float = 30.0
    memory_mb: int = 256
    rewards: Sequence[str] = ("correct",)
    kind: str = "verifier"
    head: str = 'verifier = "PACKAGE:verify"'
    files: Mapping[str, str] = field(default_factory=dict)
    requires_python: str = ""

    @property
    def package_id(self) -> str:
        return f"sample/{self.name}"

    def manifest(self) -> str:
        """verihub.toml."""
        lines = [f'format = 1\nid = "{self.package_id}"\nkind = "{self.kind}"']
        lines.append(self.head.replace("PACKAGE", import_name(self.package_id)))
        lines.extend(f"[rewards.{reward}]" for reward in self.rewards)
        lines.append(f'[sandbox]\nisolation = "{self.isolation}"')
        lines.append(f"timeout_seconds = {self.timeout_seconds}\nmemory_mb = {self.memory_mb}\n")
        return "\n".join(lines)

    def source(self, folder: Path, lock: tuple[LockedWheel, ...] = ()) -> Source:
        """The package as a wheel in ``folder``."""
        data = self._wheel()
        path = folder / f"{import_name(self.package_id)}-1.0.0-py3-none-any.whl"
        path.write_bytes(data)
        contents = read_wheel(data)
        return Source(digest_of(data), path, contents.manifest, lock, contents.metadata.box_python)

    def _metadata(self) -> str:
        text = _METADATA.format(distribution_name(self.package_id))
        line = f"Requires-Python: {self.requires_python}\n" if self.requires_python else ""
        return text.replace("Summary:", f"{line}Summary:")

    def _wheel(self) -> bytes:
        package = import_name(self.package_id)
        info = f"{package}-1.0.0.dist-info"
        files = {
            f"{package}/__init__.py": textwrap.dedent(self.code),
            f"{package}/verihub.toml": self.manifest(),
            **{f"{package}/{name}": text for name, text in self.files.items()},
            f"{info}/METADATA": self._metadata(),
            f"{info}/WHEEL": _WHEEL,
        }
        record = "".join(f"{name},{record_hash(text.encode())},{len(text.encode())}\n" for name, text in files.items())
        files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n"
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for name, text in files.items():
                archive.writestr(zipfile.ZipInfo(name, date_time=(2020, 2, 2, 0, 0, 0)), text)
        return buffer.getvalue()
