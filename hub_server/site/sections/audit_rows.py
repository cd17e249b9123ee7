"""Rows of rates as the ledgers show them: name, measurement, last column."""

from collections.abc import Mapping

from hub_server.site.drawing.numbers import count
from hub_server.site.rendering.case_origins import cases_in
from schemas.evidence.audit import AuditReport
from schemas.evidence.part_words import ORIGIN_WORDS
from schemas.evidence.rates import Measurement
from schemas.manifest import RewardDeclaration, RewardRole

__all__ = ["ORIGIN_WORDS", "LedgerRow", "cases_in", "reward_rows"]

LedgerRow = tuple[str, bool, Measurement, str]
"""Name, whether it is code, what was measured, the last column."""


def reward_rows(report: AuditReport, declared: Mapping[str, RewardDeclaration]) -> list[LedgerRow]:
    """Each reward that has a threshold, in declared order, with how often it was not judged."""
    names = [name for name in declared if name in report.rewards] + [n for n in report.rewards if n not in declared]
    logged = {name for name, reward in declared.items() if reward.role is RewardRole.METRIC}
    return [
        (name, True, report.rewards[name], count(report.rewards[name].unscored)) for name in names if name not in logged
    ]
