"""Home: what the hub is, in one drawing, and what was measured last."""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from hub_server.audits import actions
from hub_server.catalog import actions as catalog
from hub_server.catalog.pages import API
from hub_server.catalog.presenting import plate_sentences
from hub_server.catalog.rules import SearchRequest
from hub_server.web.dependencies import ReadWork
from hub_server.web.rendering import render
from hub_server.work import Work
from schemas.audit import CounterExample
from schemas.package import PackageCard

router = APIRouter(include_in_schema=False)
RECENT = 6


@router.get("/")
def home_page(request: Request, work: ReadWork) -> HTMLResponse:
    """What the hub is, in one drawing, and what was measured last."""
    page = catalog.search_packages(work, SearchRequest(sort="updated", limit=40))
    measured = sorted(
        (card for card in page.items if card.audit is not None),
        key=lambda card: card.audit.audited_at if card.audit else card.updated_at,
        reverse=True,
    )
    waiting = [card for card in page.items if card.audit is None]
    recent = (measured + waiting)[:RECENT]
    shown = _telling(measured)
    return render(
        request,
        work,
        "catalog/home.html",
        title="Every verifier, with its error rates",
        description="A hub of environments, tools and verifiers for reinforcement learning, each measured.",
        json_url=f"{API}/packages?sort=updated",
        plate_card=shown,
        plate_words=plate_sentences(shown) if shown else "",
        recent=recent,
        cases=_latest_cases(work, page.items),
        case_rewards={card.id: card.rewards for card in page.items},
        kinds=page.facets.get("kind", {}),
        total=page.total or 0,
    )


def _telling(cards: list[PackageCard]) -> PackageCard | None:
    """The plate shows the package with the most cases: the best evidence there is on this hub."""
    return max(cards, key=lambda card: card.audit.case_count if card.audit else 0, default=None)


def _latest_cases(work: Work, cards: list[PackageCard]) -> list[CounterExample]:
    """The newest three counter-examples of the packages that changed last."""
    found = [case for card in cards[:12] for case in actions.list_cases(work, card.id, limit=3).items]
    return sorted(found, key=lambda case: case.submitted_at, reverse=True)[:3]
