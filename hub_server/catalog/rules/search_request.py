"""What a search may ask: words, values of facets, an order, a page."""

from dataclasses import dataclass

from hub_server.errors import InvalidRequestError
from hub_server.kernel.cursors import check_limit
from schemas.package import PackageSort

MOST_VALUES = 32
"""How many values of one facet a search takes. Each tag is a condition of its own, and a database takes only so many.
No package has more tags.
"""


@dataclass(frozen=True)
class SearchRequest:
    """What a reader asks of the catalogue.

    Several values of one facet mean *any of them*; several tags or interactions mean *all of them*.
    """

    text: str = ""
    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    grades: tuple[str, ...] = ()
    licences: tuple[str, ...] = ()
    interactions: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    difficulties: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    owner: str | None = None
    sort: PackageSort = PackageSort.RELEVANCE
    cursor: str | None = None
    limit: int = 20

    def __post_init__(self) -> None:
        check_limit(self.limit)
        for facet, values in self.chosen.items():
            if len(values) > MOST_VALUES:
                raise InvalidRequestError(f"{facet} takes at most {MOST_VALUES} values, not {len(values)}.")

    @property
    def chosen(self) -> dict[str, tuple[str, ...]]:
        """Facet -> the values that were chosen of it."""
        owners = (self.owner,) if self.owner is not None else ()
        return {
            "kind": self.kinds,
            "interaction": self.interactions,
            "family": self.families,
            "difficulty": self.difficulties,
            "source": self.sources,
            "tag": self.tags,
            "grade": self.grades,
            "licence": self.licences,
            "owner": owners,
        }

    @property
    def order(self) -> PackageSort:
        """The effective sort. Without words there is no relevance, so the most recently updated come first."""
        is_unordered = self.sort is PackageSort.RELEVANCE and not self.text.strip()
        return PackageSort.UPDATED if is_unordered else self.sort
