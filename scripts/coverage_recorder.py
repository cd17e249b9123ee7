"""A pytest plugin that notes which lines and branches of Verihub's packages the tests run in their own process.

``VERIHUB_COVERAGE=FOLDER pytest -p scripts.coverage_recorder`` writes one file a test process into FOLDER (each worker
of xdist is one); without the variable it does nothing. ``scripts/coverage_floor.py`` joins and judges the files.

Slipcover puts probes into a module when it is imported, and takes those out that were passed often. pytest imports what
``-p`` names before any conftest, and so before any module that is measured. Slipcover's own plugin is not used: in the
workers of xdist it measured nothing (slipcover 1.1.0, pytest 9.2).
"""

import json
import os
from pathlib import Path

import slipcover

from scripts.coverage_floor import EXCLUDED_LINES, OMITTED, PACKAGES

_ROOT = Path(__file__).parents[1]


class Recorder:
    """Measures every module of ``packages`` that is imported from now on, and names those that nobody imported."""

    def __init__(self, root: Path, packages: list[str], omitted: list[str]) -> None:
        folders = [str(root / package) for package in packages]
        patterns = [str(root / pattern) for pattern in omitted]
        self._measured = slipcover.Slipcover(
            branch=True, source=folders, omit=patterns, exclude_also=list(EXCLUDED_LINES)
        )
        self._imports = slipcover.ImportManager(self._measured, slipcover.FileMatcher(sources=folders, omit=patterns))

    def start(self) -> None:
        self._imports.__enter__()

    def write(self, path: Path) -> None:
        """Write what was run until now, as slipcover's JSON."""
        path.write_text(json.dumps(self._measured.get_coverage()))


_FOLDER = os.environ.get("VERIHUB_COVERAGE", "")
_RECORDER = Recorder(_ROOT, PACKAGES, OMITTED) if _FOLDER else None
if _RECORDER is not None:
    _RECORDER.start()


def pytest_sessionfinish() -> None:
    """One file a process; the controller of xdist imports no module that is measured, and its file says so."""
    if _RECORDER is not None:
        folder = Path(_FOLDER)
        folder.mkdir(parents=True, exist_ok=True)
        _RECORDER.write(folder / f"{os.environ.get('PYTEST_XDIST_WORKER', 'main')}.json")
