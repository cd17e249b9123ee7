"""Releases together with everything they need."""

from collections.abc import Callable, Iterable

from hub_client.errors import CheckFailedError
from hub_client.releases.resolve import LoadedPackage, Resolver
from schemas.names import Reference


def load_with_needs(
    resolver: Resolver, references: Iterable[Reference], say: Callable[[str], None]
) -> list[LoadedPackage]:
    """Fetch ``references`` and the packages that they need, each once. A package comes after those that it needs.

    Raises :class:`CheckFailedError` where one package is needed in two versions.
    """
    loaded: dict[str, LoadedPackage] = {}
    ordered: list[LoadedPackage] = []
    # A reference is visited twice: first it is fetched and its needs are pushed; after those it is appended.
    pending: list[tuple[Reference, LoadedPackage | None]] = [(one, None) for one in references]
    pending.reverse()
    while pending:
        reference, fetched = pending.pop()
        if fetched is not None:
            ordered.append(fetched)
            continue
        package = resolver.load(reference)
        known = loaded.get(package.package)
        if known is not None and known.version != package.version:
            raise CheckFailedError(
                f"{package.package} is needed as {known.version} and as {package.version} ({reference}): "
                "name one version that all can use"
            )
        if known is None:
            say(f"{package.reference}  {package.digest}")
            loaded[package.package] = package
            pending.append((reference, package))
            pending += [(need, None) for _, need in package.contents.manifest.references]
    return ordered
