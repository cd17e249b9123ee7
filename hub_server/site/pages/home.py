"""Home: what the hub is, in one drawing, and the newest measurements."""

from collections.abc import Sequence

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from hub_server.audits import actions
from hub_server.catalog import actions as catalog
from hub_server.catalog.rules.search_request import SearchRequest
from hub_server.execution import actions as execution
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.site.drawing.numbers import THIN, bound, count, plural
from hub_server.site.drawing.scale import sides
from hub_server.site.rendering.case_origins import cases_in
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API
from hub_server.site.sections.grade_words import letter_words
from hub_server.web.dependencies import ReadTransaction, public_url
from schemas.evidence.counter_examples import CounterExample
from schemas.evidence.rates import Grade
from schemas.kinds import PackageKind
from schemas.manifest import RewardDeclaration
from schemas.package import PackageCard, PackageSort

router = APIRouter(include_in_schema=False)

RECENT = 6

NEWEST_CASES = 3

TRENDING = 4

TRAINABLE = 3

_GOOD = tuple(grade.value for grade in Grade if grade not in (Grade.UNMEASURED, Grade.F))
_GRADES = tuple(grade.value for grade in Grade if grade is not Grade.UNMEASURED)


@router.get("/")
def home_page(request: Request, work: ReadTransaction) -> HTMLResponse:
    """What the hub is, in one drawing, and what was measured last."""
    page = catalog.search_packages(work, SearchRequest(sort=PackageSort.UPDATED, limit=40))
    measured = _newest_measured(page.items)
    if len(measured) < RECENT:  # hundreds may wait that were published since
        graded = catalog.search_packages(work, SearchRequest(sort=PackageSort.UPDATED, grades=_GRADES, limit=40))
        measured = _newest_measured(graded.items) or measured
    waiting = [card for card in page.items if card.audit is None]
    recent = (measured + waiting)[:RECENT]
    shown = _most_informative(measured)
    cases = actions.newest_cases(work, NEWEST_CASES)
    return render(
        request,
        work,
        "home.html",
        title="Every verifier, with its error rates",
        description="A hub of environments, tools and verifiers for reinforcement learning, each measured.",
        json_url=f"{API}/packages?sort=updated",
        hero_card=shown,
        hero_words=hero_sentences(shown) if shown else "",
        recent=recent,
        trainable=_trainable(work),
        trending=catalog.list_trending(work, TRENDING),
        cases=cases,
        case_rewards={case.package: _declared(work, case) for case in cases},
        kinds=page.facets.get("kind", {}),
        total=page.total or 0,
        hub_url=public_url(request, work.services),
    )


def _newest_measured(cards: Sequence[PackageCard]) -> list[PackageCard]:
    """Those that have an audit, the last one first."""
    measured = [card for card in cards if card.audit is not None]
    return sorted(measured, key=lambda card: card.audit.audited_at if card.audit else card.updated_at, reverse=True)


def _trainable(work: UnitOfWork) -> list[PackageCard]:
    """Environments whose verifier has a grade, the smallest error bound first: what one can train on now.

    One with an F is none of them: a model would learn its errors.
    """
    request = SearchRequest(sort=PackageSort.ERROR, kinds=(PackageKind.ENVIRONMENT,), grades=_GOOD, limit=TRAINABLE)
    return [card for card in catalog.search_packages(work, request).items if card.latest is not None]


def _most_informative(cards: list[PackageCard]) -> PackageCard | None:
    """The package for the hero plot: the one with the most cases; one without a grade, or with an F, only where there
    is no other.

    These may have a bar over the whole drawing, and then the drawing does not explain what a bracket means.
    """
    return max(cards, key=_information, default=None)


def _information(card: PackageCard) -> tuple[int, int]:
    if card.audit is None:
        return 0, 0
    return {Grade.UNMEASURED: 1, Grade.F: 2}.get(card.audit.grade, 3), cases_in(card.audit.graded)


def hero_sentences(card: PackageCard) -> str:
    """What the hero plot on the home page shows, to follow the package's name."""
    assert card.audit is not None, "the hero plot shows a measured package"
    left, right = sides(card.audit.graded)
    said = []
    for side, did, of in ((left, "rejected", "right"), (right, "accepted", "wrong")):
        if side.is_measured and side.rate.value is not None:
            said.append(
                f"{did} {count(side.wrong)} of {plural(side.cases, f'{of} answer')}, "
                f"which may be up to {bound(side.rate.high)}{THIN}% of all"
            )
    if card.audit.grade is Grade.UNMEASURED:
        return f"{', and '.join(said)}. These are too few cases for a grade."
    return f"{', and '.join(said)}. {letter_words(card.audit)}"


def _declared(work: UnitOfWork, case: CounterExample) -> dict[str, RewardDeclaration]:
    """The rewards of the release that a case was run on."""
    return execution.declared_rewards(work, case.package, case.against)
