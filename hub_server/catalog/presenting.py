"""What the pages of the catalogue show, worked out before the templates: heads, tabs, facets, chips, words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from hub_server.catalog.rules import SearchRequest
from hub_server.drawing.numbers import THIN, bound, count, plural
from hub_server.drawing.scale import sides
from schemas.kinds import PackageKind
from schemas.package import AuditSummary, PackageCard, PackageDetail, Release, ReleaseState
from schemas.page import Page

SORT_NAMES = (
    ("relevance", "relevance"),
    ("jaw", "wider jaw, closed first"),
    ("updated", "recently updated"),
    ("newest", "newest"),
    ("downloads", "downloads"),
    ("name", "name"),
)
_FACET_TITLES = {"kind": "Kind", "grade": "Grade", "tag": "Tag", "licence": "Licence", "owner": "Owner"}
_GRADES = ("A", "B", "C", "D", "F", "U")
_MOST_OPTIONS = 12


@dataclass(frozen=True)
class PackageHead:
    """The head that all pages of one package share."""

    detail: PackageDetail
    release: Release
    tab: str

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
            ("Releases", f"{self.base}/releases", len(self.detail.releases)),
            ("Used by", f"{self.base}/used-by", None),
        ]
        return tabs

    def context(self) -> dict[str, Any]:
        """What ``catalog/_head.html`` wants."""
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


@dataclass(frozen=True)
class Option:
    """One value of a facet: how many packages have it, and whether the reader asked for it."""

    value: str
    title: str
    count: int
    is_on: bool


@dataclass(frozen=True)
class Facet:
    """One group of check boxes."""

    name: str
    title: str
    options: list[Option]


def facets_of(page: Page[PackageCard], request: SearchRequest) -> list[Facet]:
    """The facets worth showing: those with a choice, or with a choice made."""
    asked = asked_values(request)
    facets = []
    for name, title in _FACET_TITLES.items():
        counts = page.facets.get(name, {})
        on = asked.get(name, ())
        if name == "grade":
            values: Sequence[str] = _GRADES
        else:
            values = sorted({*counts, *on}, key=lambda value: (value not in on, -counts.get(value, 0), value))
            values = values[: max(_MOST_OPTIONS, len(on))]
        if len(values) > 1 or on:
            options = [Option(value, value, counts.get(value, 0), value in on) for value in values]
            facets.append(Facet(name, title, options))
    return facets


def asked_values(request: SearchRequest) -> dict[str, tuple[str, ...]]:
    """What the reader asked of each facet."""
    owner = (request.owner,) if request.owner else ()
    return {
        "kind": request.kinds,
        "grade": request.grades,
        "tag": request.tags,
        "licence": request.licences,
        "owner": owner,
    }


def chips_of(request: SearchRequest) -> list[tuple[str, str]]:
    """(what is filtered by, address without it), for every filter that is on."""
    asked = asked_values(request)
    chips = []
    for name, values in asked.items():
        for value in values:
            rest = {**asked, name: tuple(other for other in values if other != value)}
            words = {"grade": "not graded" if value == "U" else f"grade {value}", "owner": f"by {value}"}
            chips.append((words.get(name, value), search_url(request, rest)))
    return chips


def search_url(
    request: SearchRequest, asked: Mapping[str, tuple[str, ...]] | None = None, cursor: str | None = None
) -> str:
    """The address of a search; one rule for chips, pages and the JSON twin's query."""
    pairs: list[tuple[str, str]] = [("q", request.text)] if request.text else []
    for name, values in (asked if asked is not None else asked_values(request)).items():
        pairs += [(name, value) for value in values]
    if request.sort != "relevance":
        pairs.append(("sort", request.sort))
    if cursor:
        pairs.append(("cursor", cursor))
    return "/packages" + (f"?{urlencode(pairs)}" if pairs else "")


def search_heading(total: int, text: str) -> str:
    """``63 packages for “math code”``."""
    return f"{plural(total, 'package')} for “{text}”" if text else plural(total, "package")


def plate_sentences(card: PackageCard) -> str:
    """What the plate on the home page shows, to follow the package's name."""
    assert card.audit is not None, "the plate shows a measured package"
    left, right = sides(card.audit.overall)
    said = []
    for side, did, of in ((left, "rejected", "right"), (right, "accepted", "wrong")):
        if side.is_measured and side.rate.value is not None:
            said.append(
                f"{did} {count(side.wrong)} of {plural(side.cases, f'{of} answer')}, "
                f"which may be up to {bound(side.rate.high)}{THIN}% of all"
            )
    return f"{' and '.join(said)}. The wider bracket gives the grade: {card.audit.grade}. Closed is good."
