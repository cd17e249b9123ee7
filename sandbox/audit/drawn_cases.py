"""Cases that are made for one audit alone: a suite's generator with a seed that nobody can know beforehand."""

import asyncio
import logging
from collections.abc import Iterable

from sandbox.audit.judge import Judge
from sandbox.errors import GuestFaultError
from sandbox.interface import Source
from schemas.evidence.audit_plan import CaseDraw
from schemas.evidence.cases import AuditCase
from schemas.task import canonical_json

MOST_SECONDS = 300.0
"""Most time for one suite. The limit on one call is its own manifest's, and 300 calls may be needed."""
_SPLIT = "held"
_SECOND_LOOK = 40
"""Cases made by another seed, to see whether the seed matters. If it does not, anybody could know the cases."""
_MOST_IN_COMMON = 0.2
"""Share of these that may be among the drawn ones by chance, where a generator has few tasks to choose from."""
_log = logging.getLogger("sandbox.audit")


async def drawn_cases(
    sandbox: Judge, draws: Iterable[tuple[Source, CaseDraw]], *, seconds: float = MOST_SECONDS
) -> list[AuditCase]:
    """What the generators of each suite make, as the verifier judges it. A suite that fails is left out and logged.

    Its fault must not cost another package its audit: neither code that raises or never ends (``seconds`` for each
    suite) nor rows that are no sound cases. Cases that do not depend on the seed could be known beforehand, so they are
    no first look.
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
        cases = await _generated(sandbox, suite, entry, count=draw.count, seed=draw.seed)
        fewer = min(draw.count, _SECOND_LOOK)
        start = draw.seed % (draw.count - fewer + 1)  # anywhere: or only the first ones would depend on the seed
        again = await _generated(sandbox, suite, entry, count=fewer, seed=draw.seed // 2 + 1, start=start)
        known = {_content(case) for case in again}
        found = [draw.adapt(case) for case in cases]
        if again and len(known & {_content(case) for case in cases}) > _MOST_IN_COMMON * len(known):
            _log.warning("%s makes the same cases whatever the seed: they are no first look", suite.manifest.id)
            found = [case.model_copy(update={"first_look": False}) for case in found]
        made += found
    return made


async def _generated(
    sandbox: Judge, suite: Source, entry: str, *, count: int, seed: int, start: int = 0
) -> list[AuditCase]:
    rows = await sandbox.generate(suite, entry, split=_SPLIT, count=count, seed=seed, start=start)
    return [case for case in map(AuditCase.model_validate, rows) if case.task is not None]


def _content(case: AuditCase) -> bytes:
    """What a verifier is handed of a case, but for the task's id."""
    task = {name: value for name, value in (case.task or {}).items() if name != "id"}
    return canonical_json([task, case.response, case.messages, case.state, case.files])
