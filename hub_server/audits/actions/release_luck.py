"""Keeps a grade from being won by publishing until the cases that are drawn for a release are easy ones."""

from datetime import datetime

from hub_server.accounts import actions as accounts
from hub_server.audits.models import DrawRow
from hub_server.audits.queries import audits as audit_queries
from hub_server.audits.queries import draws as draw_queries
from hub_server.audits.rules.minhash import minhash_of
from hub_server.audits.rules.same_code import Code, digest_of_code, is_same_verifier
from hub_server.catalog import actions as catalog
from hub_server.catalog.models import ReleaseRow
from hub_server.catalog.queries import packages as package_queries
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.evidence.audit import AuditReport
from schemas.evidence.rates import Grade
from schemas.measures.release_luck import letter_after
from schemas.package import AuditSummary

Turn = tuple[datetime, datetime, str]


def without_luck(work: UnitOfWork, release: ReleaseRow, report: AuditReport) -> AuditReport:
    """The report, with the letter that it proves after the tries of releases that were measured before it was.

    Tries are the releases of its package, those with the same or nearly the same code of its people, and those with the
    same code of strangers, before its people had it. By the first measurement, not by the publish: of many that are
    published at once the last may be measured first. A release that is measured again has the same draws. Hollow grades
    are no tries: no case was drawn for them. Yanked releases and those that were taken down are.
    """
    grading = report.grading
    if grading is None or grading.is_hollow or grading.reads is None:
        return report
    code = _code_of(work, release)
    draw_queries.take_turn(work.session)
    earlier = _earlier(work, release, code)
    letter, why = letter_after(report.grade, grading, earlier)
    if why:
        told = grading.model_copy(update={"capped": [*grading.capped, why]})
        report = report.model_copy(update={"grade": letter, "grading": told})
    _keep(work, release, code, report.grade)
    return report


def _earlier(work: UnitOfWork, release: ReleaseRow, code: Code) -> list[Grade]:
    """The letters of tries before this release. Of releases that older hubs measured, only the package's own."""
    first = audit_queries.first_measured(work.session, release.package_id)
    own = draw_queries.find_draw(work.session, release.id)
    since = own.measured_at if own is not None else first.get(release.id, work.now)
    mine: Turn = since, release.published_at, release.id
    people = catalog.people_behind(work, [release.package_id])[release.package_id]
    # What another member published in an organisation of the publisher's: an account may be in several.
    owners = people.union(accounts.list_organizations_of(work, release.published_by))
    near = draw_queries.draws_near(work.session, release.package_id, code.digest, owners)
    theirs = catalog.people_behind(work, {row.package_id for row, _ in near})
    found, drawn = [], set()
    strangers: list[tuple[Turn, Grade]] = []
    known_since = mine  # when its people first had this very code measured
    for row, published_at in near:
        drawn.add(row.release_id)
        turn: Turn = row.measured_at, published_at, row.release_id
        is_theirs = row.package_id == release.package_id or bool(people & theirs.get(row.package_id, set()))
        if is_theirs and row.code == code.digest:
            known_since = min(known_since, turn)
        if row.release_id == release.id or turn >= mine:
            continue
        is_same = is_same_verifier(code, Code(row.code, list(row.minhash["minima"])), same_people=is_theirs)
        if row.package_id == release.package_id or (is_same and is_theirs):
            found.append(Grade(row.grade))
        elif is_same:
            strangers.append((turn, Grade(row.grade)))
    # Copies of what its people had before are no draws of theirs. Or whoever copies a verifier, with settings that make
    # it fail, would take its next release a grade.
    found += [letter for turn, letter in strangers if turn < known_since]
    for other in package_queries.releases_of(work.session, release.package_id):
        turn = first.get(other.id, other.published_at), other.published_at, other.id
        if other.audit_summary and other.id not in drawn and turn < mine:
            summary = AuditSummary.read(other.audit_summary)
            found += [] if summary.is_hollow else [summary.grade]
    return found


def _code_of(work: UnitOfWork, release: ReleaseRow) -> Code:
    """Nothing for a package without a verifier of its own, and no minima for one that an importer made: all of an
    importer's packages look alike.
    """
    manifest = catalog.release_of(release).manifest
    if manifest.verifier is None or manifest.foreign_verifier is not None:
        return Code("", [])
    contents = work.services.wheels.contents(release.digest)
    name = contents.manifest.import_name
    files = {path: data for path, data in contents.files.items() if path.startswith(f"{name}/")}
    source = f"{manifest.imported.library} {manifest.imported.source}" if manifest.imported else ""
    return Code(digest_of_code(files, name, source), [] if manifest.imported else minhash_of(files))


def _keep(work: UnitOfWork, release: ReleaseRow, code: Code, grade: Grade) -> None:
    """Note the letter. In private the hub draws other cases, so that nothing of them is a try in public."""
    package = package_queries.find_package(work.session, release.package_id)
    if package is None or package.is_private or grade is Grade.UNMEASURED:
        return
    row = draw_queries.find_draw(work.session, release.id)
    if row is not None:
        row.grade = grade.value
        return
    first = audit_queries.first_measured(work.session, release.package_id).get(release.id, work.now)
    work.session.add(
        DrawRow(
            release_id=release.id,
            package_id=release.package_id,
            code=code.digest,
            minhash={"minima": code.minima},
            grade=grade.value,
            measured_at=min(first, work.now),
        )
    )
    work.session.flush()
