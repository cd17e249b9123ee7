"""A pytest plugin that notes which lines and branches of Verihub's packages the tests run in their own process.

``VERIHUB_COVERAGE=FOLDER pytest -p scripts.coverage_recorder`` writes one file for each process that runs tests into
FOLDER; without the variable it does nothing. ``scripts/coverage_floor.py`` joins and judges the files.

Slipcover puts probes into a module when it is imported. pytest imports what ``-p`` names before any conftest, and so
before any module that is measured. Slipcover's own plugin is not used: it knows no processes but xdist's.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import pytest
import slipcover
from slipcover.importer import SlipcoverMetaPathFinder

from scripts.coverage_floor import EXCLUDED_LINES, OMITTED, PACKAGES

_ROOT = Path(__file__).parents[1]
_NEVER = 2**31 - 1
"""Passes of a probe after which slipcover would take out by itself what was passed, in whatever thread that is."""
_SHARE = 50
"""Taking probes out looks through every function of Verihub (0.1 to 0.3 s): it may cost a fiftieth of the CPU time."""


class _Finder(SlipcoverMetaPathFinder):  # type: ignore[misc]
    """Slipcover's, which would look at each module of each library twice."""

    def __init__(self, measured: slipcover.Slipcover, files: slipcover.FileMatcher, packages: Sequence[str]) -> None:
        super().__init__(measured, files)
        self._packages = frozenset(packages)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] not in self._packages:
            return None
        found: ModuleSpec | None = super().find_spec(fullname, path, target)
        return found


class Recorder:
    """Measures every module of ``packages`` that is imported once ``finder`` stands first in ``sys.meta_path``.

    ``names_all``: what ``write`` gives also names the modules that nobody imported. One process of a run is enough.
    ``clock`` gives the CPU seconds of this process.
    """

    def __init__(
        self,
        root: Path,
        packages: list[str],
        omitted: list[str],
        *,
        names_all: bool = True,
        clock: Callable[[], float] = time.process_time,
    ) -> None:
        folders = [str(root / package) for package in packages]
        patterns = [str(root / pattern) for pattern in omitted]
        self._clock = clock
        self._next = clock()
        self._measured = slipcover.Slipcover(
            branch=True,
            source=folders if names_all else None,
            omit=patterns,
            exclude_also=list(EXCLUDED_LINES),
            d_miss_threshold=_NEVER,
        )
        self.finder = _Finder(self._measured, slipcover.FileMatcher(sources=folders, omit=patterns), packages)

    def take_out(self) -> bool:
        """Take out the probes that were passed, if that is worth its time by now; returns whether it did."""
        before = self._clock()
        if before < self._next:
            return False
        self._measured.deinstrument_seen()
        after = self._clock()
        self._next = after + _SHARE * (after - before)
        return True

    def write(self, path: Path) -> None:
        """Write what was run until now, as slipcover's JSON."""
        path.write_text(json.dumps(self._measured.get_coverage()))


_FOLDER = os.environ.get("VERIHUB_COVERAGE", "")
_RECORDER = Recorder(_ROOT, PACKAGES, OMITTED) if _FOLDER else None
if _RECORDER is not None:
    sys.meta_path.insert(0, _RECORDER.finder)


def pytest_runtest_logfinish() -> None:
    """Between two tests few functions are running, and those that run keep their probes."""
    if _RECORDER is not None:
        _RECORDER.take_out()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """One file a process; a process that was forked for tests runs none itself."""
    worker = getattr(session.config, "workerinput", None)
    is_parent = session.config.pluginmanager.has_plugin("forked-loop") and worker is None
    if _RECORDER is not None and not is_parent:
        folder = Path(_FOLDER)
        folder.mkdir(parents=True, exist_ok=True)
        _RECORDER.write(folder / f"{worker['workerid'] if worker else 'main'}.json")
