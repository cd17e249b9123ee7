"""One act, followed through a package's code while it runs: which modules it passes, and which of them calls which."""

import re
import sys
import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).parents[2]
_DOCS = ROOT / "docs" / "explanation"


class Flow:
    """What ran of one top-level package. Modules are paths in it, such as ``catalog/models.py``."""

    def __init__(self, package: str) -> None:
        self._package = f"{ROOT / package}/"
        self.functions: set[tuple[str, str]] = set()
        """Modules with the functions of theirs that ran."""
        self.calls: set[tuple[str, str]] = set()
        """Caller and called, where one module called another; libraries between the two are passed over."""
        self.stacks: set[tuple[str, ...]] = set()
        """The modules that were under way at once, outermost first, each named once."""

    @property
    def modules(self) -> set[str]:
        return {module for module, _ in self.functions}

    def depth(self, among: set[str]) -> int:
        """How many modules of ``among`` are under way at once, at most: whoever follows a call has so many in mind."""
        return max(sum(module in among for module in stack) for stack in self.stacks)

    def upwards(self, layers: dict[str, int], among: set[str], *, passed_over: str = "") -> set[tuple[str, str]]:
        """Calls that go to a higher layer; but those of routes, which the web framework calls."""

        def layer(module: str) -> int:
            return layers[module.partition("/")[0].removesuffix(".py")]

        return {
            (caller, called)
            for caller, called in self.calls
            if called in among and layer(called) < layer(caller) and "routes" not in called and caller != passed_over
        }

    @contextmanager
    def following(self) -> Iterator[None]:
        """Follow this thread and all that begin meanwhile: a request of the test client runs in fresh ones."""
        before = sys.getprofile()
        threading.setprofile(self._see)
        sys.setprofile(self._see)
        try:
            yield
        finally:
            sys.setprofile(before)
            threading.setprofile(None)

    def _see(self, frame: FrameType, event: str, _: Any) -> None:
        module = self._module(frame) if event == "call" and frame.f_code.co_name != "<module>" else None
        if module is None:
            return
        self.functions.add((module, frame.f_code.co_qualname))
        above: list[str | None] = []  # None: another package or the tests called
        back = frame.f_back
        while back is not None:
            if _is_of_the_project(back.f_code.co_filename):
                above.append(self._module(back))
            back = back.f_back
        if above and above[0] not in (None, module):
            self.calls.add((str(above[0]), module))
        self.stacks.add(tuple(dict.fromkeys([*(one for one in reversed(above) if one is not None), module])))

    def _module(self, frame: FrameType) -> str | None:
        file = frame.f_code.co_filename
        return file.removeprefix(self._package) if file.startswith(self._package) else None


def _is_of_the_project(file: str) -> bool:
    return file.startswith(f"{ROOT}/") and "site-packages" not in file


def listed(page: str, title: str, package: str) -> list[str]:
    """The modules of ``package`` that a section of ``docs/explanation/page`` names, in their order."""
    section = (_DOCS / page).read_text().partition(f"### {title}\n")[2].partition("\n### ")[0].partition("\n## ")[0]
    return list(dict.fromkeys(re.findall(rf"`{package}/([a-z_/0-9]+\.py)`", section)))


def layers(contract: str) -> dict[str, int]:
    """Name of a module or folder -> its layer by an import contract of ``pyproject.toml``; the highest is 0."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    found = next(one["layers"] for one in contracts if one["id"] == contract)
    return {name.strip(): at for at, layer in enumerate(found) for name in layer.split("|")}
