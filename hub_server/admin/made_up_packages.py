"""Packages that nobody wrote, for measuring how a hub behaves when it is large. The same seed makes the same ones.

Words are drawn by Zipf's law, as in real text, so that a search for a common word has many hits and one for a rare word
few. Owners have between one and a few hundred packages, packages between one and a few hundred releases.
"""

import hashlib
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from typing import Any

from hub_server.accounts.rules.names import fold_name
from schemas.evidence.rates import Measurement
from schemas.kinds import PackageKind
from schemas.measures.grades import grade_of
from schemas.measures.intervals import rate
from schemas.names import import_name
from schemas.package import AuditSummary

FIRST_DAY = datetime(2026, 1, 1, tzinfo=UTC)
_SYLLABLES = tuple(
    "ba ce di fo gu ha ki lo mi na pe qua ra so tu ve wi xa yo ze bri cla dro fle gri pla sto tri".split()  # noqa: SIM905
)
_COMMON = tuple(
    (  # noqa: SIM905 -- words are easier to read as text
        "the of and to a in is for with on that by this it answer answers task tasks model verifier environment reward "
        "rewards right wrong code math number text tool tools test tests game turn turns search data json sql python "
        "judge score scores question table rule rules"
    ).split()
)
_LICENCES = ("Apache-2.0", "MIT", "BSD-3-Clause", "CC-BY-4.0", "GPL-3.0-only", "CC0-1.0")
_KINDS = (PackageKind.ENVIRONMENT, PackageKind.VERIFIER, PackageKind.TOOL, PackageKind.BENCHMARK, PackageKind.SUITE)
_KIND_WEIGHTS = (50, 30, 10, 5, 5)


@dataclass(frozen=True)
class MadeUpRelease:
    """One version. ``digest`` is that of no wheel: there are no bytes behind it."""

    version: str
    digest: str
    published_at: datetime


@dataclass(frozen=True)
class MadeUpPackage:
    """One package with its releases, oldest first, and what its newest says."""

    id: str
    kind: PackageKind
    tags: list[str]
    licence: str
    summary: str
    readme: str
    manifest: dict[str, Any]
    audit: AuditSummary | None
    downloads: int
    releases: list[MadeUpRelease]


class PackageMaker:
    """Draws packages from a seed.

    ``owners`` names are shared among ``packages`` packages, which have ``releases`` releases in all.
    """

    def __init__(self, *, packages: int, releases: int, seed: int = 0) -> None:
        self._random = random.Random(seed)  # noqa: S311 -- nothing secret is drawn
        self._packages, self._releases = packages, releases
        self._words = [*_COMMON, *self._rare_words(20_000)]
        self._weights = list(accumulate(1 / (rank + 1) for rank in range(len(self._words))))
        self._sentences = [self._sentence() for _ in range(4000)]
        self._tags = self._words[40 : 40 + max(20, min(2000, packages // 10))]
        self._tag_weights = list(accumulate(1 / (rank + 1) for rank in range(len(self._tags))))
        drawn = (self._name(2).replace("-", "") for _ in range(max(2, packages // 20)))
        self.owners = list({fold_name(name): name for name in drawn}.values())
        self._owner_weights = list(accumulate(1 / (rank + 10) for rank in range(len(self.owners))))

    def packages(self) -> Iterator[MadeUpPackage]:
        """All of them, each with a name of its own."""
        taken: set[str] = set()
        shares = self._shares()
        for count in shares:
            owner = self._random.choices(self.owners, cum_weights=self._owner_weights)[0]
            name = self._name(2)
            if f"{owner}/{name}" in taken:
                name = f"{name}-{len(taken)}"
            taken.add(f"{owner}/{name}")
            yield self._package(f"{owner}/{name}", count)

    def _shares(self) -> list[int]:
        """Releases of each package: at least one, most have few, the sum as asked for."""
        draws = [min(30.0, self._random.paretovariate(1.2)) for _ in range(self._packages)]
        spare = max(0, self._releases - self._packages)
        whole = sum(draws)
        shares = [1 + int(spare * draw / whole) for draw in draws]
        for index in range(max(0, self._releases - sum(shares))):
            shares[index % self._packages] += 1
        return shares

    def _package(self, identifier: str, count: int) -> MadeUpPackage:
        chosen = self._random
        kind = chosen.choices(_KINDS, _KIND_WEIGHTS)[0]
        tags = sorted(set(chosen.choices(self._tags, cum_weights=self._tag_weights, k=chosen.randint(1, 5))))
        readme = "\n\n".join(" ".join(chosen.choices(self._sentences, k=4)) for _ in range(chosen.randint(1, 8)))
        start = FIRST_DAY + timedelta(seconds=chosen.randrange(200 * 86400))
        audit = self._audit(f"{count}.0.0", start) if kind in (PackageKind.ENVIRONMENT, PackageKind.VERIFIER) else None
        return MadeUpPackage(
            id=identifier,
            kind=kind,
            tags=tags,
            licence=chosen.choice(_LICENCES),
            summary=chosen.choice(self._sentences)[:200],
            readme=f"# {identifier}\n\n{readme}\n",
            manifest=_manifest(identifier, kind, tags),
            audit=audit,
            downloads=int(chosen.paretovariate(0.8)),
            releases=[
                MadeUpRelease(
                    version=f"{number + 1}.0.0",
                    digest="sha256:" + hashlib.sha256(f"{identifier} {number}".encode()).hexdigest(),
                    published_at=start + timedelta(hours=7 * number, seconds=chosen.randrange(3600)),
                )
                for number in range(count)
            ],
        )

    def _audit(self, version: str, at: datetime) -> AuditSummary | None:
        chosen = self._random
        if chosen.random() < 0.3:
            return None
        right, wrong = chosen.randint(20, 400), chosen.randint(20, 400)
        share = chosen.betavariate(1, 12)
        missed, accepted = int(right * share), int(wrong * chosen.betavariate(1, 12))
        found = Measurement(
            tp=right - missed,
            fp=accepted,
            tn=wrong - accepted,
            fn=missed,
            unscored=0,
            fpr=rate(accepted, wrong),
            fnr=rate(missed, right),
        )
        return AuditSummary(
            version=version, grade=grade_of(found), overall=found, case_count=right + wrong, audited_at=at
        )

    def _sentence(self) -> str:
        words = self._random.choices(self._words, cum_weights=self._weights, k=self._random.randint(6, 18))
        return " ".join(words).capitalize() + "."

    def _rare_words(self, count: int) -> list[str]:
        return ["".join(self._random.choices(_SYLLABLES, k=self._random.randint(2, 5))) for _ in range(count)]

    def _name(self, parts: int) -> str:
        return "-".join(self._random.choices(self._words[20:], k=parts))[:30]


def _manifest(identifier: str, kind: PackageKind, tags: list[str]) -> dict[str, Any]:
    code = import_name(identifier)
    needs: dict[PackageKind, dict[str, Any]] = {
        PackageKind.ENVIRONMENT: {"tasks": {"train": "tasks.jsonl"}, "verifier": f"{code}:verify"},
        PackageKind.VERIFIER: {"verifier": f"{code}:verify"},
        PackageKind.TOOL: {"tools": [f"{code}:tool"]},
        PackageKind.BENCHMARK: {"environments": ["lecture/gsm8k@1.0.0"]},
        PackageKind.SUITE: {"family": "short-number", "audit": ["cases.jsonl"]},
    }
    has_rewards = kind in (PackageKind.ENVIRONMENT, PackageKind.VERIFIER)
    rewards = {"correct": {"description": "the answer is right"}} if has_rewards else {}
    return {"format": 1, "id": identifier, "kind": kind.value, "tags": tags, "rewards": rewards, **needs[kind]}
