"""What the values of a manifest refer to: a function of the package, a file in it, or another package.

This is the only place that tells them apart. Each is a subclass of ``str``, so it stays plain text in JSON and TOML,
and ``isinstance`` says what it is.
"""

import re
from typing import Annotated, Self

from pydantic import AfterValidator, GetCoreSchemaHandler, GetPydanticSchema

from schemas.names import Reference, names_package

_ENTRY_POINT = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")
DATA_SUFFIXES = (".jsonl", ".parquet")


class EntryPoint(str):
    """``module.path:name``, a function or class of the package itself."""

    __slots__ = ()

    @classmethod
    def parse(cls, text: str) -> Self:
        """Check ``text``. Raises ``ValueError`` with an example of what would be right."""
        if not _ENTRY_POINT.fullmatch(text):
            raise ValueError(f"{text!r} is not module:function, for example lecture_change_making:verify")
        return cls(text)

    @property
    def module(self) -> str:
        """``module.path``."""
        return self.partition(":")[0]

    @property
    def name(self) -> str:
        """The name of the function or class in that module."""
        return self.partition(":")[2]


class DataFile(str):
    """A file of tasks or labelled cases, by its path inside the import package."""

    __slots__ = ()

    @classmethod
    def parse(cls, text: str) -> Self:
        """Check ``text``. Raises ``ValueError`` when it leaves the package or is no kind of file that can be read."""
        parts = text.split("/")
        if text.startswith("/") or "\\" in text or any(part in ("", ".", "..") for part in parts):
            raise ValueError(f"{text!r} must be a path inside the package, with forward slashes and no ..")
        if not text.endswith(DATA_SUFFIXES):
            raise ValueError(f"{text!r} must end in .jsonl or .parquet, or be a generator such as pkg:generate")
        return cls(text)


class PackageReference(str):
    """``owner/name@…``, another package, in canonical form."""

    __slots__ = ()

    @classmethod
    def parse(cls, text: str) -> Self:
        """Check ``text``. Raises ``ValueError`` with what would be a reference."""
        return cls(Reference.parse(text))

    @property
    def reference(self) -> Reference:
        """Package and release, taken apart."""
        return Reference.parse(self)


def parse_data_source(text: str) -> EntryPoint | DataFile:
    """A source of tasks or cases: a generator's entry point (it has a colon), else a file."""
    return EntryPoint.parse(text) if ":" in text else DataFile.parse(text)


def parse_code_source(text: str) -> EntryPoint | PackageReference:
    """A verifier or tool: another package (it has a slash), else an entry point of this one."""
    return PackageReference.parse(text) if names_package(text) else EntryPoint.parse(text)


def _entry_point(_kind: object, handler: GetCoreSchemaHandler) -> object:
    return handler(Annotated[str, AfterValidator(EntryPoint.parse)])


def _data_source(_kind: object, handler: GetCoreSchemaHandler) -> object:
    return handler(Annotated[str, AfterValidator(parse_data_source)])


def _code_source(_kind: object, handler: GetCoreSchemaHandler) -> object:
    return handler(Annotated[str, AfterValidator(parse_code_source)])


def _package_reference(_kind: object, handler: GetCoreSchemaHandler) -> object:
    return handler(Annotated[str, AfterValidator(PackageReference.parse)])


# Used as a pydantic field, each is read from text and written as text.
EntryPointField = Annotated[EntryPoint, GetPydanticSchema(_entry_point)]
DataSource = Annotated[EntryPoint | DataFile, GetPydanticSchema(_data_source)]
CodeSource = Annotated[EntryPoint | PackageReference, GetPydanticSchema(_code_source)]
PackageReferenceField = Annotated[PackageReference, GetPydanticSchema(_package_reference)]
