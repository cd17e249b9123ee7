"""Two verifiers side by side: choose them, compare them, and read the cases on which they disagree."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import BaseModel, ConfigDict

from hub_server.audits import actions
from hub_server.catalog import actions as catalog
from hub_server.catalog.rules.search_request import SearchRequest
from hub_server.errors import HubServerError
from hub_server.execution import actions as execution
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API
from hub_server.web.dependencies import ReadTransaction, WriteTransaction
from schemas.comparison import ComparisonRecord, ComparisonRequest, Disagreement
from schemas.evidence.part_words import ORIGIN_WORDS
from schemas.manifest import RewardDeclaration
from schemas.names import split_release
from schemas.package import PackageSort

router = APIRouter(include_in_schema=False)
FIRST_DISAGREEMENTS = 25
SUGGESTED = 40
MOST_FAMILIES = 30


@dataclass(frozen=True)
class Choice:
    """One value of a filter: what it is called, how many cases have it, and whether it is on."""

    value: str
    name: str
    count: int
    is_on: bool


class CompareForm(BaseModel):
    """What an address of the page says: the two, and which of the cases on which they part are shown.

    ``wins``: those where this side is right. ``family``: those whose task has this tag. ``origin``: those that come
    from there. ``all``: not only the first.
    """

    model_config = ConfigDict(frozen=True)

    left: str = ""
    right: str = ""
    all: str = ""
    wins: str = ""
    family: str = ""
    origin: str = ""

    @property
    def chosen(self) -> dict[str, str]:
        """The filters; empty where one asks for nothing."""
        return {"wins": self.wins, "family": self.family, "origin": self.origin}


@router.get("/compare")
def compare_page(request: Request, work: ReadTransaction, form: Annotated[CompareForm, Query()]) -> HTMLResponse:
    """The form, and what is known of the two that it names."""
    left, right, chosen = form.left.strip()[:300], form.right.strip()[:300], form.chosen
    record, problem = _known(work, left, right)
    result = record.result if record is not None else None
    every = result.disagreements if result is not None else []
    parted = [one for one in every if all_hold(one, chosen)]
    names = side_names(result.first, result.second) if result is not None else ("", "")
    asked = {"left": left, "right": right}
    return render(
        request,
        work,
        "compare.html",
        title=f"{left} and {right}" if left and right else "Compare two verifiers",
        section="Packages",
        json_url=f"{API}/comparisons?{urlencode({'left': left, 'right': right})}" if record is not None else None,
        left=left,
        right=right,
        record=record,
        result=result,
        problem=problem,
        declared=_declared(work, record),
        parted=parted if form.all else parted[:FIRST_DISAGREEMENTS],
        chosen=sum(map(bool, chosen.values())),
        found=len(parted),
        names=names,
        filters=filters_of(every, chosen, names),
        unfiltered_url=f"/compare?{urlencode(asked)}#parted",
        all_url=f"/compare?{urlencode(asked | {k: v for k, v in chosen.items() if v} | {'all': '1'})}#parted",
        suggestions=[] if left and right else _suggestions(work),
        newest=[] if left and right else actions.newest_comparisons(work),
    )


@router.post("/compare")
def compare(
    work: WriteTransaction,
    left: Annotated[str, Form(max_length=300)],
    right: Annotated[str, Form(max_length=300)],
    again: Annotated[bool, Form()] = False,
) -> Response:
    """Ask for a comparison."""
    record = actions.request_comparison(work, ComparisonRequest(left=left, right=right, again=again))
    return RedirectResponse(f"/compare?{urlencode({'left': record.left, 'right': record.right})}", status_code=303)


def _known(work: UnitOfWork, left: str, right: str) -> tuple[ComparisonRecord | None, str]:
    """(the newest comparison, why there can be none)."""
    if not (left and right):
        return None, ""
    try:
        return actions.find_comparison(work, left, right), ""
    except HubServerError as error:
        return None, error.detail


def _declared(work: UnitOfWork, record: ComparisonRecord | None) -> tuple[dict[str, RewardDeclaration], ...]:
    """The declared vectors of both sides."""
    if record is None:
        return {}, {}
    sides = (split_release(side) for side in (record.left, record.right))
    return tuple(execution.declared_rewards(work, package, version) for package, version in sides)


def _suggestions(work: UnitOfWork) -> list[str]:
    """Packages that judge, for the form's list."""
    page = catalog.search_packages(work, SearchRequest(sort=PackageSort.NAME, limit=SUGGESTED))
    return [card.id for card in page.items if card.rewards]


def side_names(first: str, second: str) -> tuple[str, str]:
    """What tells the two apart in the head of a column: the names, else the owners with them, else the versions."""
    sides = [split_release(side) for side in (first, second)]
    for named in (
        [package.partition("/")[2] for package, _ in sides],
        [package for package, _ in sides],
        [f"{package.partition('/')[2]} {version}" for package, version in sides],
    ):
        if named[0] != named[1]:
            return named[0], named[1]
    return first, second


def _values_of(one: Disagreement) -> dict[str, list[str]]:
    """What a case has of each filter."""
    tags = (one.task or {}).get("tags")
    return {
        "wins": [one.sides_with],
        "family": [str(tag) for tag in tags] if isinstance(tags, list) else [],
        "origin": [str(one.origin)],
    }


def all_hold(one: Disagreement, chosen: dict[str, str]) -> bool:
    """Whether a case has what every filter asks for; an empty filter asks for nothing."""
    values = _values_of(one)
    return all(not wanted or wanted in values[name] for name, wanted in chosen.items())


def filters_of(
    every: Sequence[Disagreement], chosen: dict[str, str], names: tuple[str, str]
) -> list[tuple[str, str, list[Choice]]]:
    """(name, title, values) of each filter by which the cases differ, or that is on; counted over all of them."""
    words = {"first": names[0], "second": names[1], "neither": "neither"}
    titles = {"wins": "Who is right", "family": "Tasks with the tag", "origin": "Origin of the case"}
    found = []
    for name, title in titles.items():
        counts = Counter(value for one in every for value in _values_of(one)[name])
        values = [value for value, _ in counts.most_common(MOST_FAMILIES)]
        values += [chosen[name]] if chosen[name] and chosen[name] not in values else []
        if chosen[name] or any(count < len(every) for count in counts.values()):
            shown = {"wins": words, "origin": ORIGIN_WORDS}.get(name, {})
            choices = [Choice(one, shown.get(one, one), counts[one], one == chosen[name]) for one in values]
            found.append((name, title, choices))
    return found
