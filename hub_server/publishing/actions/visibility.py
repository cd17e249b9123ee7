"""Who sees a package: what a publish may say about it."""

from hub_server.catalog import queries as catalog_queries
from hub_server.catalog.models import PackageRow
from hub_server.errors import InvalidPackageError
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ports.wheel_inspector import Inspection
from hub_server.publishing.errors import VisibilityError
from schemas.manifest import Manifest
from schemas.package import Visibility
from schemas.problem import ProblemPart


def check_visibility(package: PackageRow | None, inspection: Inspection, wanted: Visibility | None) -> bool:
    """Whether the release is private. Raises ``VisibilityError`` where the package is already the other."""
    if package is None:
        return wanted is Visibility.PRIVATE
    is_wanted = wanted is None or (wanted is Visibility.PRIVATE) == package.is_private
    if not is_wanted and not package.is_private:
        raise VisibilityError(
            f"{inspection.manifest.id} is public, and others may hold copies: publish it under another name to keep "
            "it private."
        )
    if not is_wanted:
        raise VisibilityError(
            f"{package.id} is private: publish without naming a visibility, or make it public "
            f"(`verihub visibility {package.id} public`)."
        )
    return package.is_private


def check_public_references(work: UnitOfWork, manifest: Manifest) -> None:
    """Refuse a public package that needs a private one: nobody else could use it, and it would tell the name."""
    problems = [
        ProblemPart(
            pointer="verihub.toml",
            message=f"{key} refers to {reference}, which is private: make that public first, or publish this "
            "with --private",
        )
        for key, reference in manifest.references
        if _is_private(work, reference.package)
    ]
    if problems:
        raise InvalidPackageError("; ".join(part.message for part in problems), errors=problems)


def _is_private(work: UnitOfWork, package_id: str) -> bool:
    package = catalog_queries.find_package(work.session, package_id)
    return package is not None and package.is_private
