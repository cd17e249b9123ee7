"""Shared by importers of a Python library: its wheel, the list of what it offers, and code from a template."""

import functools
from abc import ABC, abstractmethod
from collections.abc import Mapping
from importlib.resources import files as resources
from typing import ClassVar

from hub_client.errors import NotFoundError
from hub_client.imports import library as libraries
from hub_client.imports.draft import Draft, ImportRefusedError, Item, Provenance
from hub_client.imports.registry import Request
from schemas.wheels.box_python import choose_box_python
from schemas.wording import nearest


class LibrarySource(ABC):
    """An importer of one distribution of pip's index. A subclass names both, and says what it offers."""

    name: ClassVar[str]
    """The name in the registry of sources, which stands before the colon on the command line."""
    distribution: ClassVar[str]
    python: ClassVar[str] = ">=3.11"
    """What the library asks of Python, as in ``requires-python``."""
    licence: ClassVar[str] = ""
    """The SPDX expression of its licence file, for a library whose metadata do not state a licence."""
    refusals: ClassVar[Mapping[str, str] | None] = None
    """Item -> why it cannot be imported. None: a draft of each item is made to find out."""

    def __init__(self, request: Request) -> None:
        self._request = request

    @functools.cached_property
    def library(self) -> libraries.Library:
        """The distribution's newest version, or the one that was asked for."""
        version = self._request.version
        python = choose_box_python(self.python)
        return libraries.Library(self.distribution, self._request.cache, version and f"=={version}", python)

    @abstractmethod
    def offers(self) -> Mapping[str, str]:
        """Item -> one line about it. Items that are refused are included."""

    @abstractmethod
    def make(self, item: str) -> Draft:
        """The package of an item that is offered. Raises :class:`ImportRefusedError`."""

    def items(self) -> list[Item]:
        """What is offered, and why it cannot be imported where that is so."""
        return [Item(item, line, self._refusal(item)) for item, line in self.offers().items()]

    def draft(self, item: str) -> Draft:
        """As in :class:`Importer`."""
        offered = list(self.offers())
        if item not in offered:
            raise NotFoundError(f"{self.name} has no {item}; {nearest(item, offered, what='there are')}")
        return self.make(item)

    def provenance(self, item: str) -> Provenance:
        """Where the package of ``item`` is from. Raises :class:`ImportRefusedError` where nobody says the licence."""
        library = self.library
        licence = library.licence or self.licence or self._request.licence
        if not licence:
            raise ImportRefusedError(
                f"{library.name} {library.version} states no licence by its SPDX name, and all on a hub is public: "
                "read its licence file and give it with --licence, for example --licence BSD-3-Clause"
            )
        return Provenance(f"{self.name}:{item}", library.version, licence, library.home)

    def _refusal(self, item: str) -> str:
        if self.refusals is not None:
            return self.refusals.get(item, "")
        try:
            self.make(item)
        except ImportRefusedError as error:
            return str(error)
        return ""


def code_of(template: str, words: Mapping[str, str] | None = None, *, package: str = "hub_client.imports") -> str:
    """``code/TEMPLATE.py.template`` of a package with each ``@WORD@`` replaced, in the order of ``words``."""
    path = resources(package) / "code" / f"{template}.py.template"
    code = path.read_text(encoding="utf-8")
    for word, value in (words or {}).items():
        code = code.replace(f"@{word}@", value)
    return code
