"""Cases of suites for an audit on this machine: how a verifier stands on them before a hub runs them."""

from collections.abc import Sequence

from hub_client.client import Hub
from hub_client.environments import Verifier
from hub_client.errors import UsageError
from schemas.evidence.cases import AuditCase, Origin
from schemas.evidence.suite_cases import as_judged
from schemas.kinds import PackageKind
from schemas.names import split_package_id


def suite_cases(hub: Hub, verifier: Verifier, target: str) -> list[AuditCase]:
    """Every case that the suite at ``target`` (a folder, or a package of the hub) stores, as the verifier judges it.

    What its generators would make is not among them: a hub draws that by a secret. A suite of the verifier's own owner
    is the author's, as on a hub, which also knows who else is behind both.

    Raises UsageError where it is no suite or stores no case, or the verifier does not say that it judges the suite's
    family.
    """
    loaded = hub.load(target)
    manifest = loaded.contents.manifest
    if manifest.kind is not PackageKind.SUITE or manifest.family is None:
        raise UsageError(f"{target} is a {manifest.kind.value}: --suite takes a suite (`verihub search --kind suite`)")
    judges = verifier.package.contents.manifest.judges
    if manifest.family not in judges:
        said = f"it judges {', '.join(judges)}" if judges else "it names no family"
        raise UsageError(
            f"{verifier.package.reference} does not say that it judges {manifest.family.value} ({said}): "
            f"put [judges.{manifest.family.value}] into its verihub.toml"
        )
    adapter, name = judges[manifest.family], manifest.id
    stored = [case for case in loaded.contents.cases() if case.task is not None]
    if not stored:
        raise UsageError(f"{target} stores no case: what its generators make is drawn by a hub only")
    is_own = split_package_id(name)[0] == split_package_id(verifier.package.package)[0]
    origin = Origin.AUTHOR if is_own else Origin.SUITE
    return [as_judged(case, adapter, name).model_copy(update={"origin": origin}) for case in stored]


def of_all_suites(hub: Hub, verifier: Verifier, targets: Sequence[str]) -> list[AuditCase]:
    """The cases of each suite. Raises UsageError as :func:`suite_cases`, and where two are one suite: its cases would
    be listed twice, and two versions of one case have one id.
    """
    named: dict[str, str] = {}
    found = []
    for target in targets:
        cases = suite_cases(hub, verifier, target)
        suite = cases[0].tags[0]
        if suite in named:
            raise UsageError(f"{target} is the same suite as {named[suite]}: name it once")
        named[suite] = target
        found += cases
    return found
