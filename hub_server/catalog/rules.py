"""Pure decisions of the catalogue: what a search may ask, which release is the latest, how versions order."""

import hashlib
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from hub_server.errors import InvalidRequestError
from hub_server.kernel.cursors import check_limit
from schemas.evidence.rates import Grade
from schemas.kinds import PackageKind
from schemas.manifest import Manifest
from schemas.measures.grades import larger_upper_bound
from schemas.package import AuditSummary, Difficulty, Interaction, PackageSort, ReleaseState

DOWNLOAD_COUNTS_ONCE_SECONDS = 300
"""Seconds within which downloads of one release by one sender count once, because the counts order the catalogue."""
UNMEASURED_BOUND = 2.0
"""Larger than every rate: packages that nobody measured sort last."""


TREND_DAYS = 14
"""Senders of so many days are compared with those of as many days before."""
FEWEST_TREND_SENDERS = 5
LEAST_TREND = 2.0
MOST_TRENDING = 100
_SENDER_NUMBERS = 4096


def sender_number(package_id: str, sender: str) -> int:
    """The number that a sender falls on for a package, 0..4095. Senders share numbers, so it names nobody."""
    digest = hashlib.sha256(f"{package_id}\n{sender}".encode()).digest()
    return int.from_bytes(digest[:4]) % _SENDER_NUMBERS


def trend_of(recent: int, before: int) -> float:
    """How clearly ``recent`` senders are more than those ``before``, in standard deviations of their difference.

    Both are counts of a Poisson process over equal times, so their difference has the variance of their sum
    (Przyborowski and Wilenski 1940, in its normal form). 0 where too few came, or the difference may be chance.
    """
    if recent < FEWEST_TREND_SENDERS:
        return 0.0
    trend = (recent - before) / math.sqrt(recent + before)
    return trend if trend >= LEAST_TREND else 0.0


MOST_VALUES = 32
"""Of one facet in a search. Each tag is a condition of its own, and a database takes only so many: no package has more
tags.
"""
SEVERAL_VALUED = ("tag", "interaction", "family", "difficulty")
"""Facets of which a package may have several values, or none."""


def facets_of(manifest: Manifest) -> dict[str, list[str]]:
    """A release's values of the facets in ``SEVERAL_VALUED`` but the difficulty, which is measured.

    What a session offers as tools is known only while it runs. So an environment with a session counts as one with
    tools when its author says so: by ``tools``, or by the tag ``tool-use``.
    """
    found: list[Interaction] = []
    if manifest.kind is PackageKind.ENVIRONMENT:
        found.append(Interaction.SEVERAL_TURNS if manifest.session is not None else Interaction.SINGLE_TURN)
        if manifest.tools or "tool-use" in manifest.tags:
            found.append(Interaction.TOOLS)
    if manifest.model is not None:
        found.append(Interaction.ASKS_A_MODEL)
    families = {*manifest.judges, *([manifest.family] if manifest.family is not None else [])}
    return {
        "tag": list(manifest.tags),
        "interaction": [one.value for one in found],
        "family": sorted(family.value for family in families),
    }


_INTERACTION_WORDS = {
    Interaction.SINGLE_TURN: "single turn, one step",
    Interaction.SEVERAL_TURNS: "several turns, multi turn, multiple steps, long horizon, session, episode, dialogue",
    Interaction.TOOLS: "tools, tool use, tool calling, function calling, agent",
    Interaction.ASKS_A_MODEL: "asks a model, judge model, LLM as a judge, model graded",
}
"""What the field calls the values of this facet. A word more here is found in every package that has the value."""
_DIFFICULTY_WORDS = {
    Difficulty.HARD_FOR_SMALL: "hard, difficult for small models, a small model fails, unsolved",
    Difficulty.REACHABLE_FOR_SMALL: "reachable, learnable by small models, a small model can learn it, trainable",
    Difficulty.SOLVED_BY_SMALL: "easy for small models, a small model solves it",
    Difficulty.HARD_FOR_LARGE: "hard, difficult for large models, a large model fails, frontier, unsolved",
    Difficulty.REACHABLE_FOR_LARGE: "reachable, learnable by large models",
    Difficulty.SOLVED_BY_LARGE: "easy for large models, saturated",
}
_PERMISSIVE_NAMES = """
0BSD Apache-2.0 BSD-2-Clause BSD-3-Clause BSL-1.0 CC-BY-4.0 CC0-1.0 ISC MIT MIT-0 Unlicense Zlib
"""
_PERMISSIVE = frozenset(_PERMISSIVE_NAMES.split())
"""SPDX identifiers of licences that ask for a notice at most."""


def facet_words(facets: Mapping[str, Iterable[str]], licence: str, grade: str = "") -> str:
    """What people call a package's values of the facets, for the search. Unknown values say only their own name.

    ``grade``: the measured one, empty for a package that judges nothing.
    """
    values = (*facets.get("interaction", ()), *facets.get("family", ()), *facets.get("difficulty", ()))
    words = [value.replace("-", " ") for value in values]
    words += [_DIFFICULTY_WORDS[one] for one in Difficulty if one in facets.get("difficulty", ())]
    if grade:
        words.append("unrated, not measured" if grade == Grade.UNMEASURED else f"grade {grade}, measured, audited")
    words += [_INTERACTION_WORDS[one] for one in Interaction if one in facets.get("interaction", ())]
    if licence:
        words += [licence, "licence license"]
        parts = re.split(r" (?:AND|OR) ", licence)
        words += ["permissive open source"] * all(part.strip("()") in _PERMISSIVE for part in parts)
    return ", ".join(words)


@dataclass(frozen=True)
class SearchRequest:
    """What a reader asks of the catalogue.

    Several values of one facet mean *any of them*; several tags or interactions (``ALL_OF``) mean *all of them*.
    """

    text: str = ""
    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    grades: tuple[str, ...] = ()
    licences: tuple[str, ...] = ()
    interactions: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    difficulties: tuple[str, ...] = ()
    owner: str | None = None
    sort: PackageSort = PackageSort.RELEVANCE
    cursor: str | None = None
    limit: int = 20

    def __post_init__(self) -> None:
        check_limit(self.limit)
        for facet, values in self.chosen.items():
            if len(values) > MOST_VALUES:
                raise InvalidRequestError(f"{facet} takes at most {MOST_VALUES} values, not {len(values)}.")

    @property
    def chosen(self) -> dict[str, tuple[str, ...]]:
        """Facet -> the values that were chosen of it."""
        owners = (self.owner,) if self.owner is not None else ()
        return {
            "kind": self.kinds,
            "interaction": self.interactions,
            "family": self.families,
            "difficulty": self.difficulties,
            "tag": self.tags,
            "grade": self.grades,
            "licence": self.licences,
            "owner": owners,
        }

    @property
    def order(self) -> PackageSort:
        """The effective sort. Without words there is no relevance, so the most recently updated come first."""
        is_unordered = self.sort is PackageSort.RELEVANCE and not self.text.strip()
        return PackageSort.UPDATED if is_unordered else self.sort


def version_key(text: str) -> str:
    """A text that orders, byte by byte, as PEP 440 orders versions, and is equal for equal ones (1.0 and 1.0.0).

    >>> sorted(["1.10", "1.9", "1.9rc1", "1.9.dev2", "1.9.post1"], key=version_key)
    ['1.9.dev2', '1.9rc1', '1.9', '1.9.post1', '1.10']
    """
    version = Version(text)
    release = list(version.release)
    while len(release) > 1 and release[-1] == 0:
        release.pop()
    numbers = ".".join(f"{number:020d}" for number in release) + "!"  # "!" sorts before "."
    if version.pre is not None:
        pre = f"1{version.pre[0][0]}{version.pre[1]:020d}"
    else:
        pre = "0" if version.dev is not None and version.post is None else "2"
    post = f"1{version.post:020d}" if version.post is not None else "0"
    dev = f"0{version.dev:020d}" if version.dev is not None else "1"
    return f"{version.epoch:06d}!{numbers}{pre}{post}{dev}"


@dataclass(frozen=True)
class LatestCandidate:
    """What the choice of ``@latest`` looks at."""

    version: str
    key: str
    is_prerelease: bool
    state: str
    blocked: str


def choose_latest(candidates: Iterable[LatestCandidate]) -> LatestCandidate | None:
    """The highest release that is final, neither yanked nor quarantined, and not blocked."""
    eligible = [
        c
        for c in candidates
        if not c.is_prerelease and not c.blocked and c.state in (ReleaseState.ACTIVE, ReleaseState.DEPRECATED)
    ]
    return max(eligible, key=lambda c: c.key, default=None)


def choose_shown(candidates: Iterable[LatestCandidate]) -> LatestCandidate | None:
    """The release that a card describes: ``@latest``, else the newest that is not quarantined."""
    everything = list(candidates)
    latest = choose_latest(everything)
    if latest is not None:
        return latest
    visible = [c for c in everything if c.state != ReleaseState.QUARANTINED]
    return max(visible, key=lambda c: (c.state != ReleaseState.YANKED, c.key), default=None)


def bar_of(*, taken_down: str | None, quarantined: str | None, hidden: str | None) -> str | None:
    """Why none of a package's releases can be used, or None. Each argument is a fact's reason, or None."""
    facts = (
        ("Taken down", taken_down),
        ("The whole package is quarantined", quarantined),
        ("Its owner is suspended", hidden),
    )
    return next((f"{words}: {reason}" for words, reason in facts if reason is not None), None)


def state_of(
    *, barred: str | None, taken_down: str | None, quarantined: str | None, yanked: str | None, deprecated: str | None
) -> tuple[ReleaseState, str]:
    """The strictest fact that holds, and its reason. Each argument is that fact's reason, or None where it is not.

    ``barred``: the package's, by :func:`bar_of`.
    """
    facts = (
        (ReleaseState.QUARANTINED, f"Taken down: {taken_down}" if taken_down is not None else None),
        (ReleaseState.QUARANTINED, barred),
        (ReleaseState.QUARANTINED, quarantined),
        (ReleaseState.YANKED, yanked),
        (ReleaseState.DEPRECATED, deprecated),
    )
    return next(((state, reason) for state, reason in facts if reason is not None), (ReleaseState.ACTIVE, ""))


def error_bound_of(summary: AuditSummary | None) -> float:
    """The larger upper bound of the two error rates behind the grade, or the value for unmeasured packages."""
    if summary is None or summary.grade is Grade.UNMEASURED:
        return UNMEASURED_BOUND  # after F: leaving out cases must not raise anybody
    return larger_upper_bound(summary.graded)


def wants_audit(manifest: Manifest) -> bool:
    """Whether there is a verifier to measure. Any kind of package may have one."""
    return manifest.verifier is not None


def needed_packages(manifest: Manifest, dependencies: Iterable[str]) -> set[str]:
    """Ids of packages that a release refers to, by its manifest or as dependencies of its wheel; some may not exist."""
    found = {reference.package for _, reference in manifest.references}
    for text in dependencies:
        owner, _, name = canonicalize_name(Requirement(text).name).partition("-")
        found |= {f"{owner}/{name}"} if name else set()
    return found - {manifest.id}


def waiting_for_replay(fixed_case_count: int) -> str:
    """Why a new release is not ``@latest`` yet, or empty."""
    if not fixed_case_count:
        return ""
    cases = (
        "a counter-example that was fixed"
        if fixed_case_count == 1
        else f"{fixed_case_count} counter-examples that were fixed"
    )
    return f"Its audit must first replay {cases}."


def without_words(manifest: Manifest) -> Manifest:
    """The manifest without its author's texts. Names stay (rewards, splits, files, functions): the format asks them."""
    rewards = {name: declared.model_copy(update={"description": ""}) for name, declared in manifest.rewards.items()}
    return manifest.model_copy(update={"tags": [], "judges": {}, "model": None, "rewards": rewards})
