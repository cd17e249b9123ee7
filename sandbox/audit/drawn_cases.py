"""Cases that are made for one audit alone: a suite's generator with a seed that nobody can know beforehand."""

import logging
from collections.abc import Iterable

from sandbox.audit.judge import Judge
from sandbox.errors import GuestFaultError
from sandbox.interface import Source
from schemas.audit import AuditCase, CaseDraw

_SPLIT = "held"
_log = logging.getLogger("sandbox.audit")


async def drawn_cases(sandbox: Judge, draws: Iterable[tuple[Source, CaseDraw]]) -> list[AuditCase]:
    """What the generators of each suite make, as the verifier judges it. A suite that fails is left out and logged.

    Its fault must not cost another package its audit.
    """
    found: list[AuditCase] = []
    for suite, draw in draws:
        try:
            for entry in suite.manifest.case_generators:
                rows = await sandbox.generate(suite, entry, split=_SPLIT, count=draw.count, seed=draw.seed)
                made = [AuditCase.model_validate(row) for row in rows]
                found += [draw.adapt(case) for case in made if case.task is not None]
        except (GuestFaultError, ValueError) as error:
            _log.warning("%s made no cases for an audit: %s", suite.manifest.id, error)
    return found
