"""Cases that are made for one audit alone: a suite's generator with a seed that nobody can know beforehand."""

import asyncio
import logging
from collections.abc import Iterable

from sandbox.audit.judge import Judge
from sandbox.errors import GuestFaultError
from sandbox.interface import Source
from schemas.evidence.audit_plan import CaseDraw
from schemas.evidence.cases import AuditCase

MOST_SECONDS = 300.0
"""Most time for one suite. The limit on one call is its own manifest's, and 300 calls may be needed."""
_SPLIT = "held"
_log = logging.getLogger("sandbox.audit")


async def drawn_cases(
    sandbox: Judge, draws: Iterable[tuple[Source, CaseDraw]], *, seconds: float = MOST_SECONDS
) -> list[AuditCase]:
    """What the generators of each suite make, as the verifier judges it. A suite that fails is left out and logged.

    Its fault must not cost another package its audit: neither code that raises or never ends (``seconds`` for each
    suite) nor rows that are no sound cases.
    """
    found: list[AuditCase] = []
    for suite, draw in draws:
        try:
            async with asyncio.timeout(seconds):
                found += await _made_by(sandbox, suite, draw)
        except (GuestFaultError, ValueError, RecursionError, TimeoutError) as error:
            _log.warning("%s made no cases for an audit: %s", suite.manifest.id, str(error) or "it took too long")
    return found


async def _made_by(sandbox: Judge, suite: Source, draw: CaseDraw) -> list[AuditCase]:
    made: list[AuditCase] = []
    for entry in suite.manifest.case_generators:
        rows = await sandbox.generate(suite, entry, split=_SPLIT, count=draw.count, seed=draw.seed)
        cases = [AuditCase.model_validate(row) for row in rows]
        made += [draw.adapt(case) for case in cases if case.task is not None]
    return made
