"""One run: what it pinned, how its rewards moved, what it wrote."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from hub_server.audits import actions as audits
from hub_server.catalog import actions as catalog
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.runs import actions
from hub_server.site.pages.run.figures import rails_of
from hub_server.site.pages.run.run_view import run_lead, view_of_run
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API
from hub_server.site.sections.pass_rates import pass_rate_rows
from hub_server.web.dependencies import ReadTransaction
from schemas.package import AuditSummary
from schemas.run import SHOWN_FIRST, PinnedPackage, Run

router = APIRouter(include_in_schema=False)

ROLLOUTS_A_PAGE = 12
MOST_UNFOLDED = 12
"""Settings of a sender that does not say which of them come first."""


@dataclass(frozen=True)
class PinnedRow:
    """A package of a run with what was measured of the pinned release."""

    pin: PinnedPackage
    audit: AuditSummary | None
    note: str
    judges: bool = True
    """False of a harness, a tool or a benchmark, which have no rates."""


@router.get("/runs/{run_id}")
def run_page(
    request: Request, work: ReadTransaction, run_id: str, phase: str = "", cursor: str | None = None
) -> HTMLResponse:
    """One run: what it pinned, how its rewards moved, what it wrote."""
    run = actions.get_run(work, run_id)
    pinned = [_pinned(work, pin) for pin in run.packages]
    metrics = actions.get_metrics(work, run_id).items
    rollouts = actions.list_rollouts(
        work, run_id, phase=phase or None, cursor=cursor, limit=ROLLOUTS_A_PAGE, is_newest_first=True
    )
    more = {key: value for key, value in (("phase", phase), ("cursor", rollouts.next or "")) if value}
    return render(
        request,
        work,
        "run/run_page.html",
        title=f"{run.owner}/{run.name}",
        section="Runs",
        json_url=f"{API}/runs/{run.id}",
        run=run,
        **_settings_of(run),
        lead=run_lead(run),
        view=view_of_run(run, metrics, _audited_fpr(pinned)),
        has_metrics=bool(metrics),
        verifiers=pinned,
        rails=rails_of(run),
        outcomes=pass_rate_rows(work, ((run, outcome) for outcome in run.outcomes)),
        rollouts=rollouts.items,
        asked=audits.list_asked_rollouts(work, run, rollouts.items),
        phases=sorted(rollouts.facets.get("phase", {})),
        phase=phase,
        room=actions.words_of_room(work, run.id) if _is_owner(work, run) else "",
        is_queue_full=_is_owner(work, run) and audits.is_full_of_runs(work, run.owner),
        left_out=audits.left_out_of_run(work, run.id) if _is_owner(work, run) else [],
        next_url=f"/runs/{run.id}?{urlencode(more)}#rollouts" if rollouts.next else None,
    )


def _settings_of(run: Run) -> dict[str, Any]:
    """What a run says of its settings in three parts: shown first, folded, and only named because they are empty.

    A sender that does not name what comes first has all of them shown, unless they are many.
    """
    named = run.config.get(SHOWN_FIRST)
    hidden = SHOWN_FIRST if isinstance(named, list) else None
    known = {key: value for key, value in sorted(run.config.items()) if key != hidden}
    filled = {key: value for key, value in known.items() if value not in (None, "", [], {})}
    chosen = {str(name) for name in named} if isinstance(named, list) else set()
    few = filled if not chosen and len(filled) <= MOST_UNFOLDED else {}
    first = {key: value for key, value in filled.items() if key in chosen} or few
    return {
        "first_settings": first,
        "other_settings": {key: value for key, value in filled.items() if key not in first},
        "unset": sorted(known.keys() - filled.keys()),
    }


def _is_owner(work: UnitOfWork, run: Run) -> bool:
    return work.caller is not None and work.caller.name == run.owner


def _pinned(work: UnitOfWork, pin: PinnedPackage) -> PinnedRow:
    release = catalog.find_release(work, pin.package, pin.version)
    if release is None:
        return PinnedRow(pin, None, "not on this hub")
    note = "" if release.digest == pin.digest else "other bytes than this hub's"
    return PinnedRow(pin, release.audit, note, judges=bool(release.manifest.rewards) or release.audit is not None)


def _audited_fpr(pinned: list[PinnedRow]) -> float | None:
    """Upper end of the FPR of what was trained on: the widest, None where one was never measured."""
    judges = [row.audit for row in pinned if row.judges]
    if not judges or None in judges:
        return None
    return max(audit.graded.fpr.high for audit in judges if audit is not None)
