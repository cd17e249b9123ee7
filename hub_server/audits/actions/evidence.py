"""The evidence that is not the author's: suites of other owners, and cases that the hub holds."""

import logging
from functools import lru_cache
from pathlib import Path

from hub_server.audits import queries
from hub_server.audits.actions.seconding import has_standing, owners_of
from hub_server.audits.rules.drawing_lots import drawn
from hub_server.audits.rules.suite_cases import adapted
from hub_server.catalog import actions as catalog
from hub_server.catalog.models import ReleaseRow
from hub_server.kernel.work import Work
from schemas.audit import AuditCase, Origin
from schemas.manifest import Manifest
from schemas.names import split_package_id
from schemas.package_data import case_rows
from schemas.suite import SuiteAdapter, SuiteFamily

MOST_OF_SUITE = 500
"""Cases of one suite that one audit runs."""
_log = logging.getLogger("hub_server.audits")


def independent_cases(work: Work, release: ReleaseRow, manifest: Manifest) -> list[AuditCase]:
    """The cases of every suite that fits the release's verifier, as it judges them, and those that the hub holds."""
    found: list[AuditCase] = []
    secret = work.parts.signer.secret_of(f"suites {release.digest}")
    for suite in queries.shown_suites(work.session) if manifest.judges else ():
        family = catalog.release_of(suite).manifest.family
        if family in manifest.judges:
            found += _of_suite(work, release, suite, manifest.judges[family], secret)
    for family, adapter in manifest.judges.items():
        found += _held(work, family, adapter, secret)
    return found


def _of_suite(
    work: Work, release: ReleaseRow, suite: ReleaseRow, adapter: SuiteAdapter, secret: str
) -> list[AuditCase]:
    """A suite of the verifier's own owner is the author's; one of an owner without standing counts for nothing yet."""
    owner, _ = split_package_id(suite.package_id)
    if owners_of(work, release.package_id) & owners_of(work, suite.package_id):
        origin = Origin.AUTHOR
    else:
        trusted = owner in work.parts.settings.suite_owners
        has_word = trusted or any(has_standing(work, name) for name in owners_of(work, suite.package_id))
        origin = Origin.SUITE if has_word else Origin.REPORTED
    cases = [case for case in work.parts.wheels.contents(suite.digest).cases() if case.task is not None]
    cases = drawn(cases, [case.id for case in cases], MOST_OF_SUITE, secret)
    is_new = origin is not Origin.AUTHOR and suite.published_at > release.published_at
    return [adapted(case, adapter, suite=suite.package_id, first_look=is_new, origin=origin) for case in cases]


def _held(work: Work, family: SuiteFamily, adapter: SuiteAdapter, secret: str) -> list[AuditCase]:
    """Cases of the hub's own folder for the family; no page, report or answer ever shows them."""
    path = work.parts.settings.data / "held" / f"{family}.jsonl"
    cases = [case for case in _read_held(path) if case.task is not None]
    cases = drawn(cases, [case.id for case in cases], MOST_OF_SUITE, secret)
    return [adapted(case, adapter, suite="held", first_look=True, origin=Origin.HELD) for case in cases]


def _read_held(path: Path) -> list[AuditCase]:
    try:
        stamp = path.stat().st_mtime_ns
    except OSError:
        return []
    return _read_at(path, stamp)


@lru_cache(maxsize=32)
def _read_at(path: Path, _stamp: int) -> list[AuditCase]:
    try:
        return list(case_rows(path.read_bytes(), path.name))
    except (OSError, ValueError) as error:
        _log.warning("the held cases %s cannot be read and count for nothing: %s", path.name, error)
        return []
