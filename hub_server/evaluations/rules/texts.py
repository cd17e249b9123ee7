"""Analyses of the tasks' texts: how different they are, and whether they occur in other packages' training tasks.

Pure.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hub_server.evaluations.rules.quality.contamination import contamination
from hub_server.evaluations.rules.quality.diversity import (
    domain_entropy,
    near_duplicates,
    response_diversity,
    text_diversity,
)
from hub_server.evaluations.rules.quality.outcomes import Outcomes
from schemas.benchmark import ContaminationRow, DiversityReport, DuplicatePair, OverlapRow
from schemas.measures.corrected import Observed, observed_interval
from schemas.measures.intervals import Interval

MOST_TEXTS = 500
"""Vendi scores are cubic in the number of texts: more are drawn from, with a fixed seed."""
_MOST_PAIRS = 30
_MOST_OVERLAPS = 20


@dataclass(frozen=True)
class Split:
    """One split of one release: ``texts`` by task id, ``domains`` by task id."""

    package: str
    version: str
    name: str
    texts: Mapping[str, str]
    domains: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class TextReport:
    """Measured once for a benchmark's tasks, whoever solved them."""

    text: Interval | None = None
    texts_measured: int = 0
    texts: int = 0
    duplicates: Sequence[DuplicatePair] = ()
    duplicate_pairs: int = 0
    duplicate_share: Interval | None = None
    domains: Mapping[str, str] = field(default_factory=dict)
    contamination: list[ContaminationRow] = field(default_factory=list)
    not_compared: list[str] = field(default_factory=list)

    def diversity_of(self, outcomes: Outcomes) -> DiversityReport:
        """The report on diversity: of domains and texts, and of responses where several models answered all tasks."""
        labels = [self.domains.get(task, task.partition("#")[0]) for task in outcomes.tasks]
        spread = domain_entropy(labels)
        complete = outcomes.complete()
        has_responses = len(complete.models) > 1 and len(complete.tasks) > 1
        return DiversityReport(
            text=self.text,
            texts_measured=self.texts_measured,
            texts=self.texts,
            responses=response_diversity(complete) if has_responses else None,
            response_tasks=len(complete.tasks),
            duplicates=list(self.duplicates),
            duplicate_pairs=self.duplicate_pairs,
            duplicate_share=self.duplicate_share,
            domain_bits=spread.bits,
            domain_evenness=spread.evenness,
            domains=spread.counts,
        )


def read_texts(tested: Sequence[Split], others: Sequence[Split], not_compared: Sequence[str]) -> TextReport:
    """Compare the ``tested`` splits with themselves and with all ``others`` (train splits, other packages)."""
    texts = {f"{split.package}#{task}": text for split in tested for task, text in split.texts.items()}
    chosen = sorted(texts)
    if len(chosen) > MOST_TEXTS:
        chosen = sorted(random.Random(0).sample(chosen, MOST_TEXTS))  # noqa: S311 -- a sample, not a secret
    pairs = near_duplicates(texts)
    doubled = {name for pair in pairs for name in (pair.first, pair.second)}
    share = observed_interval(Observed(len(doubled) / len(texts), len(texts))) if texts else None
    return TextReport(
        text=text_diversity([texts[name] for name in chosen]) if chosen else None,
        texts_measured=len(chosen),
        texts=len(texts),
        duplicates=[DuplicatePair(**vars(pair)) for pair in pairs[:_MOST_PAIRS]],
        duplicate_pairs=len(pairs),
        duplicate_share=share,
        domains={f"{split.package}#{task}": domain for split in tested for task, domain in split.domains.items()},
        contamination=[row for split in tested for other in others if (row := _compare(split, other)) is not None],
        not_compared=list(not_compared),
    )


def _compare(split: Split, other: Split) -> ContaminationRow | None:
    """None for a split against itself or without tasks; other packages only where something overlaps."""
    if (split.package, split.name) == (other.package, other.name) or not split.texts or not other.texts:
        return None
    found = contamination(other.texts, split.texts)
    if not found.overlaps and split.package != other.package:
        return None
    worst = sorted(found.overlaps, key=lambda one: (-one.covered, -one.longest, one.task))[:_MOST_OVERLAPS]
    return ContaminationRow(
        environment=split.package,
        split=split.name,
        against=f"{other.package}@{other.version}",
        against_split=other.name,
        test_count=found.test_count,
        overlapping=len(found.overlaps),
        share=found.share,
        worst=[OverlapRow(task=o.task, where=o.where, words=o.longest, covered=o.covered) for o in worst],
    )
