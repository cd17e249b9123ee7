"""Evidence that does not come from the author: suites of other owners, stored or drawn for one release."""

import logging
from collections.abc import Collection
from functools import partial
from typing import NamedTuple

from hub_server.accounts import actions as accounts
from hub_server.audits.actions.cases import queue_audit
from hub_server.audits.actions.held_cases import as_held_case, held_cases
from hub_server.audits.actions.label_reports import cases_left_out
from hub_server.audits.actions.standing import has_standing, is_hubs_own
from hub_server.audits.queries import audits as audit_queries
from hub_server.audits.queries import suites as suite_queries
from hub_server.audits.rules.case_sample import MOST_OF_SUITE, sample_cases
from hub_server.audits.rules.label_reports import AskedSuite, left_out_of_pool, without_counting
from hub_server.audits.rules.suite_cases import adapt_all, adapted
from hub_server.audits.rules.suite_owners import counted_as_one
from hub_server.catalog import actions as catalog
from hub_server.catalog.models import ReleaseRow
from hub_server.catalog.queries import packages as package_queries
from hub_server.database.visibility import private_packages
from hub_server.execution import actions as execution
from hub_server.execution.errors import NothingToExecuteError
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ports.executor import ExecutableRelease
from schemas.evidence.audit_plan import CaseDraw
from schemas.evidence.cases import AuditCase, Origin
from schemas.manifest import Manifest
from schemas.measures.owners import HUB
from schemas.suite import SuiteAdapter, SuiteFamily

MOST_DRAWN = 300
"""Cases that one audit has the generators of one suite make."""
_log = logging.getLogger("hub_server.audits")


def independent_cases(work: UnitOfWork, release: ReleaseRow, manifest: Manifest) -> list[AuditCase]:
    """The cases of every suite that fits the release's verifier, as it judges them, and those that the hub holds."""
    found: list[AuditCase] = []
    secret, shown = _secret(work, release, "suites"), probe_seed(work, release)
    fitting = _fitting_suites(work, manifest)
    behind = _people_behind(work, fitting)
    asked = [_asked_suite(work, release, suite, shown) for suite, _ in fitting]
    strangers = [one.suite for one in asked if one.origin is Origin.SUITE and behind[one.suite.suite] != HUB]
    pooled = left_out_of_pool(strangers)
    for (_, family), one in zip(fitting, asked, strict=True):
        name = one.suite.suite
        out = pooled.get(name, one.suite.out.cases)
        found += _suite_cases(one, manifest.judges[family], out, behind[name])
    for family, adapter in manifest.judges.items():
        found += held_cases(work.services.settings.data / "held", family, adapter, secret)
    return found


def probe_seed(work: UnitOfWork, release: ReleaseRow) -> str:
    """What the release's probes are drawn by, and its sample of each suite: everything that its report may show.

    Held cases have other secrets, which are never told.
    """
    return _secret(work, release, "probes")


def _secret(work: UnitOfWork, release: ReleaseRow, purpose: str) -> str:
    """What something is drawn by for a release; other draws while its package is private.

    Otherwise an owner would publish in private until a draw is lucky, and make that release public.
    """
    is_private = bool(private_packages(work.session, [release.package_id]))
    return work.services.signer.secret_of(f"{purpose} {release.digest}{' in private' if is_private else ''}")


def told_probe_seed(work: UnitOfWork, release: ReleaseRow) -> str:
    """The seed where everybody may know it, else empty: as soon as the package has a later release, which has another.

    A release cannot be fitted to it any more, since its bytes are frozen.
    """
    is_over = package_queries.has_release_after(work.session, release.package_id, release.published_at)
    return probe_seed(work, release) if is_over and work.services.signer.key_id else ""


def case_draws(work: UnitOfWork, release: ReleaseRow, manifest: Manifest) -> list[tuple[ExecutableRelease, CaseDraw]]:
    """Which held cases the generators of fitting suites make for this release alone, seeded by a secret of the hub.

    Only suites that count are used. A suite whose publisher has no standing changes no grade, so running its generator
    would waste a box; a suite of the verifier's own owner is no independent evidence.
    """
    found = []
    fitting = _fitting_suites(work, manifest)
    behind = _people_behind(work, fitting)
    for suite, family in fitting:
        if catalog.release_of(suite).manifest.case_generators and _origin(work, release, suite) is Origin.SUITE:
            secret = _secret(work, release, f"draw {suite.digest}")
            adapter, by = manifest.judges[family], behind[suite.package_id]
            adapt = partial(as_held_case, secret=secret, adapter=adapter, suite=suite.package_id, behind=by)
            draw = CaseDraw(seed=int(secret[:15], 16), count=MOST_DRAWN, adapt=adapt)
            try:
                found.append((execution.executable_release(work, suite), draw))
            except NothingToExecuteError as error:  # it must not end another package's audit
                _log.warning("%s draws no cases: %s", suite.package_id, error.detail)
    return found


def measure_with_suite(work: UnitOfWork, suite_id: str, *, has_lost: bool = False) -> None:
    """Measure releases again after a suite was published, yanked or quarantined, or its publisher's standing changed.

    These are the shown releases of other owners that judge the suite's family, or whose grade used the suite.
    ``has_lost``: the suite counted, and its publisher has no standing any more.
    """
    package = package_queries.find_package(work.session, suite_id)
    if package is not None and package.is_private:
        return  # only its owner's releases meet it, and these are left out below
    suite = next((row for row in suite_queries.shown_suites(work.session) if row.package_id == suite_id), None)
    if not (has_lost or is_counted_suite(work, suite_id)):
        return  # a suite that does not count changes no grade, so no audit is needed
    family = catalog.release_of(suite).manifest.family if suite is not None else None
    rows = audit_queries.shown_releases(work.session)
    behind = catalog.people_behind(work, {suite_id, *(row.package_id for row in rows)})
    for row in rows:
        if behind[suite_id] & behind[row.package_id]:
            continue
        release = catalog.release_of(row)
        was_used = release.audit is not None and suite_id in release.audit.suites
        if was_used or (family is not None and family in release.manifest.judges):
            queue_audit(work, row.package_id, row.version)


def measure_readers(work: UnitOfWork, suite_id: str) -> None:
    """A case of the suite counts no more, for its label, or again: measure anew what was measured on the suite."""
    for row in audit_queries.shown_releases(work.session):
        release = catalog.release_of(row)
        if release.audit is not None and suite_id in release.audit.suites:
            queue_audit(work, row.package_id, row.version)


def measure_after_membership(work: UnitOfWork, organization: str, account: str) -> None:
    """Somebody joined or left an organisation: which suites are another owner's has changed for both.

    Measures every shown release of the organisation, of the account and of its other organisations again, if a suite
    stands in its grade.
    """
    names = {organization, account, *accounts.list_organizations_of(work, account)}
    rows = audit_queries.shown_releases(work.session)
    owners = package_queries.owners_ever(work.session, {row.package_id for row in rows})
    for row in rows:
        release = catalog.release_of(row)
        if owners[row.package_id] & names and release.audit is not None and release.audit.suites:
            queue_audit(work, row.package_id, row.version)


def measure_after_transfer(work: UnitOfWork, package_id: str) -> bool:
    """A package has another owner: measure again what has evidence of it, and itself if a suite stands in its grade.

    Whoever has it now is behind it too. So a suite of theirs counts for it no more, nor it for theirs if it is one.
    False: an audit that is running may have begun with the old owner, so this must be done again.
    """
    is_all = True
    for row in audit_queries.shown_releases(work.session):
        release = catalog.release_of(row)
        is_judge_of = row.package_id == package_id and bool(release.manifest.judges)
        was_used = release.audit is not None and package_id in release.audit.suites
        if is_judge_of or was_used:
            is_all = is_all and row.audit_state != "running"
            queue_audit(work, row.package_id, row.version)
    return is_all


def _fitting_suites(work: UnitOfWork, manifest: Manifest) -> list[tuple[ReleaseRow, SuiteFamily]]:
    """Every shown suite of a family that the verifier judges."""
    suites = suite_queries.shown_suites(work.session) if manifest.judges else []
    families = [(suite, catalog.release_of(suite).manifest.family) for suite in suites]
    return [(suite, family) for suite, family in families if family is not None and family in manifest.judges]


def _people_behind(work: UnitOfWork, fitting: list[tuple[ReleaseRow, SuiteFamily]]) -> dict[str, str]:
    """Suite -> who is behind it."""
    suites = {suite.package_id for suite, _ in fitting}
    return counted_as_one(catalog.people_behind(work, suites), {suite for suite in suites if is_hubs_own(work, suite)})


def _origin(work: UnitOfWork, release: ReleaseRow, suite: ReleaseRow) -> Origin:
    """A suite of the verifier's own owner is the author's; one of an owner without standing counts for nothing yet."""
    behind = catalog.people_behind(work, [release.package_id, suite.package_id])
    if behind[release.package_id] & behind[suite.package_id]:
        return Origin.AUTHOR
    return Origin.SUITE if is_counted_suite(work, suite.package_id) else Origin.REPORTED


def is_counted_suite(work: UnitOfWork, suite_id: str) -> bool:
    """Whether a suite counts in the grades of others' verifiers: its owner has standing, or the operator named it.

    For an organisation's suite, the account that published the shown release needs standing: its other members may have
    taken no part in it.
    """
    if is_hubs_own(work, suite_id):
        return True
    release = package_queries.find_shown_release(work.session, suite_id)
    by = release.published_by if release is not None else package_queries.newest_publisher(work.session, suite_id)
    return by is not None and has_standing(work, by)


class _Asked(NamedTuple):
    """What a release is asked of a suite, and whose evidence that is."""

    suite: AskedSuite
    origin: Origin
    first_look: bool


def _asked_suite(work: UnitOfWork, release: ReleaseRow, suite: ReleaseRow, secret: str) -> _Asked:
    all_cases = [case for case in work.services.wheels.contents(suite.digest).cases() if case.task is not None]
    cases = sample_cases(all_cases, [case.id for case in all_cases], MOST_OF_SUITE, secret)
    known_since = package_queries.first_published(
        work.session, suite.package_id
    )  # a later version may repeat its cases
    origin = _origin(work, release, suite)
    is_new = origin is not Origin.AUTHOR and known_since > release.published_at
    return _Asked(
        AskedSuite(suite.package_id, cases, cases_left_out(work, suite.package_id, all_cases)), origin, is_new
    )


def _suite_cases(asked: _Asked, adapter: SuiteAdapter, out: Collection[str], behind: str) -> list[AuditCase]:
    """The cases as the verifier judges them. ``out``: those that count in no rate."""
    suite, origin, is_new = asked

    def adapt(case: AuditCase) -> AuditCase:
        made = adapted(case, adapter, suite=suite.suite, behind=behind, first_look=is_new, origin=origin)
        return without_counting(made) if case.id in out else made

    return adapt_all(suite.cases, adapt, suite.suite)
