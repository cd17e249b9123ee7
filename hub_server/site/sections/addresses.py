"""What the addresses of pages name: a package, or one of its releases."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends


@dataclass(frozen=True)
class PackageAddress:
    """``/packages/{owner}/{name}``."""

    owner: str
    name: str

    @property
    def package(self) -> str:
        """The package's id."""
        return f"{self.owner}/{self.name}"


@dataclass(frozen=True)
class ReleaseAddress(PackageAddress):
    """``/packages/{owner}/{name}/releases/{version}``; a version may also be ``latest``, a range or a digest."""

    version: str


API = "/api/v1"
"""Where the JSON twins of the pages are."""

PackageAt = Annotated[PackageAddress, Depends()]
ReleaseAt = Annotated[ReleaseAddress, Depends()]
