"""Search: packages by words and facets. Every state of the form is a URL."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, ConfigDict

from hub_server.catalog import actions
from hub_server.catalog.rules.search_request import SearchRequest
from hub_server.collections import actions as collections
from hub_server.errors import InvalidRequestError
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.site.drawing.numbers import plural
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API
from hub_server.web.dependencies import ReadTransaction
from schemas.collections import CollectionSummary
from schemas.package import PackagePage, PackageSort

router = APIRouter(include_in_schema=False)

SORT_NAMES = (
    (PackageSort.RELEVANCE, "relevance"),
    (PackageSort.ERROR, "lowest error bound"),
    (PackageSort.UPDATED, "recently updated"),
    (PackageSort.NEWEST, "newest"),
    (PackageSort.DOWNLOADS, "downloads"),
    (PackageSort.TRENDING, "trending"),
    (PackageSort.NAME, "name"),
)

_FACET_TITLES = {
    "kind": "Kind",
    "grade": "Grade",
    "interaction": "Interaction",
    "family": "Judges",
    "difficulty": "Models reach",
    "source": "Imported from",
    "tag": "Tag",
    "licence": "Licence",
    "owner": "Owner",
}
_WORDED = ("interaction", "family", "difficulty")
"""Facets whose values are words of ours, joined by hyphens."""

_GRADES = ("A", "B", "C", "D", "F", "U")

_MOST_OPTIONS = 12
_MOST_WIDER = 5
MOST_COLLECTIONS = 3


class SearchForm(BaseModel):
    """What an address of a search says. Unknown words in it are ignored: a page never breaks on an old link."""

    model_config = ConfigDict(frozen=True)

    q: str = ""
    kind: list[str] = []
    tag: list[str] = []
    grade: list[str] = []
    licence: list[str] = []
    interaction: list[str] = []
    family: list[str] = []
    difficulty: list[str] = []
    source: list[str] = []
    owner: str = ""
    sort: str = ""
    cursor: str = ""

    def request(self) -> SearchRequest:
        """The search that is meant."""
        return SearchRequest(
            text=self.q.strip()[:200],
            kinds=tuple(self.kind),
            tags=tuple(self.tag),
            grades=tuple(self.grade),
            licences=tuple(self.licence),
            interactions=tuple(self.interaction),
            families=tuple(self.family),
            difficulties=tuple(self.difficulty),
            sources=tuple(self.source),
            owner=self.owner or None,
            sort=_sort_of(self.sort),
            cursor=self.cursor or None,
        )


def _sort_of(word: str) -> PackageSort:
    """The order that an address asks for. Raises ``InvalidRequestError`` for a word that names none."""
    try:
        return PackageSort(word or PackageSort.RELEVANCE)
    except ValueError:
        raise InvalidRequestError(f"sort={word!r} is unknown: use one of {', '.join(PackageSort)}.") from None


@router.get("/packages")
def search_page(request: Request, work: ReadTransaction, form: Annotated[SearchForm, Query()]) -> HTMLResponse:
    """Search with facets; every state is an address."""
    asked = form.request()
    listed = best_first(asked)
    page = actions.search_packages(work, listed)
    heading = search_heading(page.total or 0, asked.text)
    context: dict[str, Any] = {
        "title": heading,
        "heading": heading,
        "section": "Packages",
        "json_url": API + search_url(listed, cursor=asked.cursor),
        "page": page,
        "query": {"q": asked.text, "sort": asked.sort},
        "facets": facets_of(page, asked),
        "shown": chips_of(asked),
        "wider": [] if page.items else _wider(work, asked),
        "near": [] if page.items and page.has_every_word else actions.suggest_packages(work, asked.text),
        "next_url": search_url(asked, cursor=page.next) if page.next else None,
        "first_url": search_url(asked) if asked.cursor else None,
        "sorts": SORT_NAMES,
        "collections": _collections(work, asked),
    }
    return render(request, work, "search.html", **context)


def best_first(asked: SearchRequest) -> SearchRequest:
    """Who looks around without words sees first what is measured best. The newest packages are not measured yet: after
    a library's import, whole pages say only that they wait. The API lists them by their last change.
    """
    is_unordered = asked.sort is PackageSort.RELEVANCE and not asked.text
    return replace(asked, sort=PackageSort.ERROR) if is_unordered else asked


def _collections(work: UnitOfWork, request: SearchRequest) -> list[CollectionSummary]:
    """Collections with the words of a search, above the packages of its first page; none where filters are set."""
    if not request.text or request.cursor or any(request.chosen.values()):
        return []
    return collections.list_collections(work, text=request.text, limit=MOST_COLLECTIONS).items


@dataclass(frozen=True)
class Option:
    """One value of a facet: how many packages have it, and whether the reader asked for it."""

    value: str
    title: str
    count: int
    is_on: bool


@dataclass(frozen=True)
class Facet:
    """One group of check boxes."""

    name: str
    title: str
    options: list[Option]


def facets_of(page: PackagePage, request: SearchRequest) -> list[Facet]:
    """The facets worth showing: those with a choice, or with a choice made."""
    asked = request.chosen
    facets = []
    for name, title in _FACET_TITLES.items():
        counts = page.facets.get(name, {})
        on = asked.get(name, ())
        if name == "grade":
            values: Sequence[str] = _GRADES
        else:
            values = sorted({*counts, *on}, key=lambda value: (value not in on, -counts.get(value, 0), value))
            values = values[: max(_MOST_OPTIONS, len(on))]
        if len(values) > 1 or on:
            options = [Option(value, _title(name, value), counts.get(value, 0), value in on) for value in values]
            facets.append(Facet(name, title, options))
    return facets


def _title(facet: str, value: str) -> str:
    return value.replace("-", " ") if facet in _WORDED else value


def chips_of(request: SearchRequest) -> list[tuple[str, str]]:
    """(what is filtered by, address without it), for every filter that is on."""
    return [(words, search_url(request, rest)) for words, rest in _without_each(request)]


def _without_each(request: SearchRequest) -> list[tuple[str, dict[str, tuple[str, ...]]]]:
    """(what is filtered by, the other filters), for every filter that is on."""
    asked = request.chosen
    found = []
    for name, values in asked.items():
        for value in values:
            rest = {**asked, name: tuple(other for other in values if other != value)}
            words = {"grade": "not graded" if value == "U" else f"grade {value}", "owner": f"by {value}"}
            words |= {"family": f"judges {_title(name, value)}", "source": f"imported from {value}"}
            found.append((words.get(name, _title(name, value)), rest))
    return found


def _wider(work: UnitOfWork, request: SearchRequest) -> list[tuple[int, str, str]]:
    """Where nothing is found: how many packages there are without one of the filters, which, and their address."""
    each = _without_each(request)[:_MOST_WIDER]
    counted = [(actions.count_public(work, request.text, rest), words, rest) for words, rest in each]
    return [(count, words, search_url(request, rest)) for count, words, rest in counted if count]


def search_url(
    request: SearchRequest, asked: Mapping[str, tuple[str, ...]] | None = None, cursor: str | None = None
) -> str:
    """The address of a search; one rule for chips, pages and the JSON twin's query."""
    pairs: list[tuple[str, str]] = [("q", request.text)] if request.text else []
    for name, values in (asked if asked is not None else request.chosen).items():
        pairs += [(name, value) for value in values]
    if request.sort is not PackageSort.RELEVANCE:
        pairs.append(("sort", request.sort))
    if cursor:
        pairs.append(("cursor", cursor))
    return "/packages" + (f"?{urlencode(pairs)}" if pairs else "")


def search_heading(total: int, text: str) -> str:
    """``63 packages for “math code”``."""
    return f"{plural(total, 'package')} for “{text}”" if text else plural(total, "package")
