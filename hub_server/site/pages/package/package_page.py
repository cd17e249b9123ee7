"""The first page of a package: its README, its reward vector, its rates in short, and how to use it."""

# ruff: noqa: FAST003 -- the address classes of sections.addresses take the path's parts

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from hub_server.audits import actions
from hub_server.catalog import actions as catalog
from hub_server.collections import actions as collections
from hub_server.execution import actions as execution
from hub_server.journal import actions as journal
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.runs import actions as runs
from hub_server.site.drawing.download_bars import download_bars
from hub_server.site.pages.package.episodes import EpisodeView, view_of_episode
from hub_server.site.pages.package.ways_to_use import ways_to_use
from hub_server.site.rendering.highlighter import highlight
from hub_server.site.rendering.markdown import render_notes, render_readme
from hub_server.site.rendering.readme_files import image_paths
from hub_server.site.rendering.templates import render
from hub_server.site.sections.addresses import API, PackageAt, ReleaseAt
from hub_server.site.sections.audit_rows import reward_rows
from hub_server.site.sections.package_head import PackageHead, head_of
from hub_server.site.sections.pass_rates import pass_rate_rows
from hub_server.watches import actions as watches
from hub_server.web.dependencies import ReadTransaction, public_url
from schemas.evidence.audit import AuditReport
from schemas.kinds import PackageKind
from schemas.package import Release, ReleaseState
from schemas.run import Run, RunOutcome

router = APIRouter(include_in_schema=False)

MODELS_SHOWN = 12
COLLECTIONS_SHOWN = 4


@router.get("/packages/{owner}/{name}")
def package_page(request: Request, work: ReadTransaction, at: PackageAt) -> HTMLResponse:
    """A package: its shown release."""
    return _front_page(request, work, head_of(work, at, "Readme"), f"{API}/packages/{at.package}")


@router.get("/packages/{owner}/{name}/releases/{version}")
def release_page(request: Request, work: ReadTransaction, at: ReleaseAt) -> HTMLResponse:
    """One release."""
    head = head_of(work, at, "Readme")
    return _front_page(request, work, head, API + head.release_url)


def _front_page(request: Request, work: UnitOfWork, head: PackageHead, json_url: str) -> HTMLResponse:
    package, release = head.detail.card.id, head.release
    summary = head.summary
    record = actions.find_latest_audit(work, package, summary.version) if summary else None
    foreign = release.manifest.foreign_verifier
    rewards = execution.declared_rewards(work, package, release.version)
    readme = catalog.get_readme(work, package, release.version)
    files = catalog.list_files(work, package, release.version)
    code_url = f"{head.release_url}/code"
    shown, is_cut = render_readme(readme, link_base=code_url, drop_title=package, images=image_paths(files))
    return render(
        request,
        work,
        "package/package_page.html",
        **head.context(),
        json_url=json_url,
        readme=shown,
        readme_is_cut=is_cut,
        audit=record.report if record else None,
        reward_rows=reward_rows(record.report, rewards) if record and record.report else [],
        neighbours=actions.list_neighbours(work, package, release.version).items,
        notes=render_notes(release.notes, link_base=code_url, first_level=3),
        licence_path=next((one.path for one in files if ".dist-info/licenses/" in one.path), ""),
        file_count=len(files),
        downloads_drawn=download_bars(catalog.list_downloads(work, package)),
        foreign_id=foreign.package if foreign else "",
        rewards=rewards,
        episodes=_episodes(work, release, record.report if record and record.version == release.version else None),
        model_rates=pass_rate_rows(work, _evaluated(work, release)),
        collections=collections.list_collections_with(work, package, head.detail.owner, COLLECTIONS_SHOWN + 1),
        collections_shown=COLLECTIONS_SHOWN,
        similar=catalog.list_similar_grades(work, package),
        tools_url=_tools_url(request, work, head),
        ways=ways_to_use(release),
        asks_model=release.manifest.model is not None,
        highlight=highlight,
        leaderboard=actions.get_suite_leaderboard(work, package)
        if release.manifest.kind is PackageKind.SUITE
        else None,
        reported_case=request.query_params.get("report", ""),
        hub_url=public_url(request, work.services),
        journal_entry=journal.find_entry(work, package, release.version),
        watch_url=f"{head.base}/watch",
        is_watching=watches.is_watching(work, package.partition("/")[0], package),
    )


def _evaluated(work: UnitOfWork, release: Release) -> list[tuple[Run, RunOutcome]]:
    """How models did on an environment; of other kinds there is nothing to say."""
    if release.manifest.kind is not PackageKind.ENVIRONMENT:
        return []
    return runs.list_pass_rates(work, release.package, release.version)[:MODELS_SHOWN]


def _episodes(work: UnitOfWork, release: Release, report: AuditReport | None) -> list[EpisodeView]:
    """Examples of an environment with a session; none of what may not run. ``report``: of that very release."""
    if release.manifest.session is None or release.state is ReleaseState.QUARANTINED:
        return []
    examples = actions.list_episode_examples(work, release.package, release.version, report)
    return [view_of_episode(example) for example in examples]


def _tools_url(request: Request, work: UnitOfWork, head: PackageHead) -> str:
    """The address at which clients connect to the release's tools; empty if it has none or may not run."""
    may_run = head.release.state is not ReleaseState.QUARANTINED
    if not (may_run and execution.has_tools(head.release.manifest)):
        return ""
    return f"{public_url(request, work.services)}{API}{head.release_url}/mcp"
