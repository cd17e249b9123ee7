"""One page of a list, with the cursor that leads to the next."""

from typing import Generic, TypeVar

from pydantic import Field

from schemas.base import WireModel

Item = TypeVar("Item")


class Page(WireModel, Generic[Item]):
    """``items`` and an opaque keyset cursor; ``next`` is null on the last page."""

    items: list[Item]
    next: str | None = None
    facets: dict[str, dict[str, int]] = Field(default_factory=dict)
    total: int | None = None
