"""Importers that installed packages bring, by an entry point in the group ``verihub.importers``.

Their code runs in this process, as that of any installed package. What it raises is told as its own fault.
"""

import re
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from hub_client.errors import CheckFailedError, HubClientError
from hub_client.imports.draft import Draft, Importer, Item
from hub_client.imports.given import NotGivenError, draft_of, items_of

GROUP = "verihub.importers"
_NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")
"""What a release may say that it was imported from."""


@dataclass(frozen=True)
class InstalledImporter:
    """One entry point: the source's name, and a class that takes a ``Request``."""

    point: EntryPoint

    @property
    def place(self) -> str:
        """``module:class``."""
        return self.point.value

    @property
    def line(self) -> str:
        """Which package brings it, and what that says of itself. None of its code is run."""
        what, whence = "An importer", "from an installed package"
        if self.point.dist is not None:
            said = self.point.dist.metadata  # a broken installation has none, and then no name either
            what = (said["Summary"] or "").strip().rstrip(".") or what
            if said["Name"]:
                whence = f"from the installed {said['Name']} {said['Version'] or 'of no version'}"
        if not _NAME.fullmatch(self.point.name):
            what = "Cannot be used: a name is small letters, digits and hyphens, and at most 40"
        return f"{what} ({whence})."

    def open(self, request: Any) -> Importer:
        """The importer. Raises CheckFailedError where its code cannot be loaded, or calls itself by another name, or by
        one that no release may name.
        """
        if not _NAME.fullmatch(self.point.name):
            raise CheckFailedError(f"the importer {self.point.name} ({self.place}): {self.line}")
        with self.told():
            made: Importer = self.point.load()(request)
        called = getattr(made, "name", self.point.name)
        if called != self.point.name:  # a project names its source, and an update asks for that name
            raise CheckFailedError(
                f"the importer {self.place} is installed as {self.point.name} and its name is {called}"
            )
        return _Told(self, made)

    @contextmanager
    def told(self) -> Iterator[None]:
        """What the code within raises becomes CheckFailedError, with the place where it was raised. So does an exit,
        which would end this command as if all were well.
        """
        try:
            yield
        except (HubClientError, OSError, KeyboardInterrupt):
            raise
        except NotGivenError as error:
            raise CheckFailedError(f"the importer {self.point.name} ({self.place}) gave {error}") from None
        except BaseException as error:  # a stranger's module may raise anything
            frames = traceback.extract_tb(error.__traceback__)
            where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
            said = f"{type(error).__name__}: {error}{where}"
            raise CheckFailedError(f"the importer {self.point.name} ({self.place}) failed: {said}") from error


class _Told:
    """An importer whose errors name it."""

    def __init__(self, installed: InstalledImporter, importer: Importer) -> None:
        self._installed = installed
        self._importer = importer

    def items(self) -> list[Item]:
        """As in :class:`Importer`."""
        with self._installed.told():
            return items_of(self._importer.items())

    def draft(self, item: str) -> Draft:
        """As in :class:`Importer`."""
        return self._made(item, lambda: self._importer.draft(item))

    def _made(self, item: str, make: Callable[[], Draft]) -> Draft:
        with self._installed.told():
            draft = draft_of(make(), f"{self._installed.point.name}:{item}")
        then = draft.then
        if then is None:
            return draft
        return replace(draft, then=lambda told: self._made(item, lambda: then(told)))


@cache
def installed_importers() -> Mapping[str, InstalledImporter]:
    """By name; where two packages bring one name, the first that is found."""
    found: dict[str, InstalledImporter] = {}
    for point in entry_points(group=GROUP):
        found.setdefault(point.name, InstalledImporter(point))
    return found
