"""SQL statements that make releases; what is read stands in the catalogue's queries."""

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from hub_server.catalog.models import PackageRow, ReleaseFileRow, ReleaseRow
from schemas.package import ReleaseFile


def add_package_if_absent(session: Session, package: PackageRow) -> bool:
    """Insert ``package``; False when somebody was faster. Only this insert is rolled back then."""
    try:
        with session.begin_nested():
            session.add(package)
    except IntegrityError:
        return False
    return True


def add_release(session: Session, release: ReleaseRow, files: list[ReleaseFile]) -> None:
    """Insert a release with its files."""
    session.add(release)
    session.flush()
    session.add_all(
        ReleaseFileRow(release_id=release.id, path=file.path, size=file.size, sha256=file.sha256) for file in files
    )
