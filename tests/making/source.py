"""Sources for sandbox tests: a package from a few lines of code, packed as a real wheel."""

import textwrap
from collections.abc import Mapping
from pathlib import Path

from sandbox.interface import LockedWheel, Source
from schemas.names import digest_of
from schemas.wheel import read_wheel
from tests.making.wheel import make_wheel

TASK = {"id": "t1", "prompt": "1+1?", "answer": "2", "info": {}, "tags": [], "split": "train"}


def make_source(  # one keyword for each thing that a test may want otherwise
    folder: Path,
    code: str,
    *,
    name: str = "probe",
    isolation: str = "call",
    timeout_seconds: float = 5.0,
    memory_mb: int = 256,
    rewards: tuple[str, ...] = ("correct",),
    head: str = "",
    files: Mapping[str, str | bytes] | None = None,
    lock: tuple[LockedWheel, ...] = (),
    kind: str = "verifier",
    verifier: str | None = "verify",
) -> Source:
    """Owner ``alice``; ``head`` are further top-level lines of verihub.toml."""
    package = f"alice_{name.replace('-', '_')}"
    manifest = [f'format = 1\nid = "alice/{name}"\nkind = "{kind}"']
    if verifier:
        manifest.append(f'verifier = "{package}:{verifier}"')
    manifest.append(head)
    manifest.extend(f"[rewards.{reward}]" for reward in rewards)
    manifest.append(
        f'[sandbox]\nisolation = "{isolation}"\ntimeout_seconds = {timeout_seconds}\nmemory_mb = {memory_mb}'
    )
    data = make_wheel(
        name=f"alice-{name}",
        manifest="\n".join(manifest) + "\n",
        package={"__init__.py": textwrap.dedent(code), **(files or {})},
    )
    contents = read_wheel(data)
    path = folder / f"alice_{name.replace('-', '_')}-1.0.0-py3-none-any.whl"
    path.write_bytes(data)
    return Source(digest_of(data), path, contents.manifest, lock)
