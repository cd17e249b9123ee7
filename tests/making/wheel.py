"""Wheels for tests, written by hand so that each part can be made wrong on purpose."""

import base64
import hashlib
import io
import zipfile
from collections.abc import Mapping

MANIFEST = """\
format = 1
id = "alice/small-sums"
kind = "environment"
tasks = { train = "tasks.jsonl" }
verifier = "alice_small_sums:verify"
audit = ["audit.jsonl"]
tags = ["math"]

[rewards.correct]
description = "the sum is right"
"""
CODE = "def verify(task, response):\n    return {'correct': float(response.strip() == str(task['answer']))}\n"
TASKS = '{"id": "t1", "prompt": "1+1?", "answer": 2}\n{"id": "t2", "prompt": "2+3?", "answer": 5}\n'
AUDIT = (
    '{"id": "a1", "task_id": "t1", "response": "2", "label": "correct"}\n'
    '{"id": "a2", "task_id": "t2", "response": "6", "label": "incorrect"}\n'
)
METADATA = """\
Metadata-Version: 2.4
Name: {name}
Version: {version}
Summary: Sums of small numbers
License-Expression: Apache-2.0
Requires-Python: >=3.11
Description-Content-Type: text/markdown

# Small sums
"""
WHEEL = "Wheel-Version: 1.0\nGenerator: by hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def wheel_files(
    *,
    name: str = "alice-small-sums",
    version: str = "1.0.0",
    manifest: str = MANIFEST,
    package: Mapping[str, str | bytes] | None = None,
    metadata: str = METADATA,
    extra: Mapping[str, str | bytes] | None = None,
) -> dict[str, bytes]:
    """Path -> bytes of a sound wheel without its RECORD. ``package`` replaces or adds files of the import package."""
    folder = name.replace("-", "_")
    inside = {
        "__init__.py": CODE,
        "verihub.toml": manifest,
        "tasks.jsonl": TASKS,
        "audit.jsonl": AUDIT,
        **(package or {}),
    }
    dist_info = f"{folder}-{version}.dist-info"
    files: dict[str, str | bytes] = {f"{folder}/{path}": content for path, content in inside.items()}
    files[f"{dist_info}/METADATA"] = metadata.replace("{name}", name).replace("{version}", version)
    files[f"{dist_info}/WHEEL"] = WHEEL
    files.update(extra or {})
    return {path: content.encode() if isinstance(content, str) else content for path, content in files.items()}


def with_record(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """``files`` and a RECORD that tells the truth about them."""
    dist_info = next(path.split("/")[0] for path in files if ".dist-info/" in path)
    rows = [f'"{path}",{_record_hash(content)},{len(content)}' for path, content in files.items()]
    record = "\n".join([*rows, f"{dist_info}/RECORD,,", ""])
    return {**files, f"{dist_info}/RECORD": record.encode()}


def _record_hash(content: bytes) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def zip_entry(path: str, *, mode: int = 0o100644, method: int = zipfile.ZIP_DEFLATED) -> zipfile.ZipInfo:
    """An entry as ``verihub pack`` writes it."""
    entry = zipfile.ZipInfo(path, date_time=(2020, 2, 2, 0, 0, 0))
    entry.external_attr = mode << 16
    entry.create_system = 3
    entry.compress_type = method
    return entry


def zip_files(files: Mapping[str, bytes]) -> bytes:
    """An archive of ``files`` in their order."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, content in files.items():
            archive.writestr(zip_entry(path), content)
    return buffer.getvalue()


def make_wheel(
    *,
    name: str = "alice-small-sums",
    version: str = "1.0.0",
    manifest: str = MANIFEST,
    package: Mapping[str, str | bytes] | None = None,
    metadata: str = METADATA,
    extra: Mapping[str, str | bytes] | None = None,
) -> bytes:
    """A sound wheel, but for what the caller replaces."""
    files = wheel_files(name=name, version=version, manifest=manifest, package=package, metadata=metadata, extra=extra)
    return zip_files(with_record(files))
