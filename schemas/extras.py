"""How an optional part of Verihub (an *extra*) is added to this installation."""

import json
import shlex
from importlib.metadata import Distribution, PackageNotFoundError
from typing import Any
from urllib.request import url2pathname

_NAME = "verihub"


def how_to_install(extra: str) -> str:
    """The command for a shell that adds ``extra``, from the place where this installation came from.

    pip writes that place down (PEP 610, ``direct_url.json``). Where Verihub was installed from its source, the plain
    ``verihub[...]`` would ask an index for the name: that fails, or brings whatever somebody else put there.
    """
    try:
        origin = json.loads(Distribution.from_name(_NAME).read_text("direct_url.json") or "{}")
    except PackageNotFoundError:  # run from a folder that was never installed
        origin = {}
    return f"pip install {_requirement(extra, origin)}"


def _requirement(extra: str, origin: dict[str, Any]) -> str:
    url = str(origin.get("url", ""))
    if "dir_info" in origin and url.startswith("file://"):
        folder = shlex.quote(f"{url2pathname(url.removeprefix('file://'))}[{extra}]")
        return f"-e {folder}" if origin["dir_info"].get("editable") else folder
    if "vcs_info" in origin:
        version = origin["vcs_info"]
        url = f"{version['vcs']}+{url}@{version['commit_id']}"
    return shlex.quote(f"{_NAME}[{extra}] @ {url}" if url else f"{_NAME}[{extra}]")
