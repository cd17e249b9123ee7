"""The head that all pages of a package share: its release, its rates and its tabs."""

from dataclasses import dataclass
from typing import Any

from hub_server.catalog import actions
from hub_server.discussions import actions as discussions
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.site.sections.addresses import PackageAddress, ReleaseAddress
from schemas.kinds import PackageKind
from schemas.package import AuditSummary, PackageDetail, Release, ReleaseState


@dataclass(frozen=True)
class PackageHead:
    """The head that all pages of one package share."""

    detail: PackageDetail
    release: Release
    tab: str
    discussion_count: int
    """Open ones that the reader sees."""

    @property
    def base(self) -> str:
        """Address of the package."""
        return f"/packages/{self.detail.card.id}"

    @property
    def release_url(self) -> str:
        """Address of the release."""
        return f"{self.base}/releases/{self.release.version}"

    @property
    def summary(self) -> AuditSummary | None:
        """The release's own figures; for the shown release, the nearest older ones until its own are there."""
        if self.release.audit is not None:
            return self.release.audit
        return self.detail.card.audit if self._is_shown else None

    @property
    def audit_state(self) -> str:
        """How the release's measurement stands."""
        if self._is_shown:
            return self.detail.card.audit_state
        return "done" if self.release.audit is not None else "none"

    @property
    def _is_shown(self) -> bool:
        latest = self.detail.card.latest or (self.detail.releases[0].version if self.detail.releases else None)
        return self.release.version == latest

    def tabs(self) -> list[tuple[str, str, int | None]]:
        """(name, address, number beside it)."""
        release, url = self.release, self.release_url
        tabs: list[tuple[str, str, int | None]] = [("Readme", url, None)]
        judges = bool(release.manifest.rewards) or release.manifest.verifier is not None
        if judges and release.state is not ReleaseState.QUARANTINED:
            tabs.append(("Try it", f"{url}/try", None))
        if release.task_counts and release.state is not ReleaseState.QUARANTINED:
            counts = [n for n in release.task_counts.values() if n is not None]
            tabs.append(("Tasks", f"{url}/tasks", sum(counts) if counts else None))
        if judges:
            summary = release.audit
            tabs.append(("Audit", f"{url}/audit", summary.case_count if summary else None))
        if self.detail.card.kind is PackageKind.BENCHMARK:
            tabs.append(("Results", f"/benchmarks/{self.detail.card.id}/releases/{release.version}", None))
        tabs += [
            ("Code", f"{url}/code", None),
            ("Releases", f"{self.base}/releases", self.detail.release_count),
            ("Used by", f"{self.base}/used-by", None),
            ("Discussions", f"{self.base}/discussions", self.discussion_count),
        ]
        return tabs

    def context(self) -> dict[str, Any]:
        """What ``sections/_head.html`` wants."""
        return {
            "section": "Packages",
            "detail": self.detail,
            "release": self.release,
            "tab": self.tab,
            "base": self.base,
            "release_url": self.release_url,
            "summary": self.summary,
            "audit_state": self.audit_state,
            "tabs": self.tabs(),
            "title": f"{self.detail.card.id} {self.release.version}",
            "description": self.detail.card.summary,
            "heading_of": "",
            "lead": "",
            "audit_facts": None,
        }


def head_of(work: UnitOfWork, at: PackageAddress, tab: str) -> PackageHead:
    """The head of a package's page: of the release that is named, else of the shown one. Raises where there is none."""
    detail = actions.get_package_head(work, at.package)
    count = discussions.count_open(work, detail.card.id)
    if isinstance(at, ReleaseAddress):
        return PackageHead(detail, actions.get_release(work, detail.card.id, at.version), tab, count)
    version = detail.card.latest or detail.releases[0].version
    return PackageHead(detail, actions.get_release(work, detail.card.id, version), tab, count)
