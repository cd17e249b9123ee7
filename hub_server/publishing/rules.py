"""Pure decisions of publishing."""

from collections.abc import Iterator

from schemas.manifest import Manifest
from schemas.names import Reference


def wants_audit(manifest: Manifest) -> bool:
    """Whether there is a verifier to measure.

    Any kind may bring one: a tool, to say when a transcript really used it.
    """
    return manifest.verifier is not None


def foreign_references(manifest: Manifest) -> Iterator[tuple[str, Reference]]:
    """(key in verihub.toml, reference) of everything that the package takes from others."""
    if manifest.foreign_verifier is not None:
        yield "verifier", manifest.foreign_verifier
    for key in ("tools", "environments", "harnesses"):
        for text in getattr(manifest, key):
            if "/" in text:
                yield key, Reference.parse(text)


def selector_of(reference: Reference) -> str:
    """What stands after the ``@``."""
    return reference.version or reference.specifier or reference.digest or "latest"


def waiting_for_replay(fixed_case_count: int) -> str:
    """Why a fresh release is not ``@latest`` yet, or empty."""
    if not fixed_case_count:
        return ""
    cases = (
        "a counter-example that was fixed"
        if fixed_case_count == 1
        else f"{fixed_case_count} counter-examples that were fixed"
    )
    return f"Its audit must first replay {cases}."
