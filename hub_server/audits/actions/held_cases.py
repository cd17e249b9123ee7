"""The cases that the hub holds: judged with every release, and shown to nobody."""

import hashlib
import hmac
import logging
from functools import lru_cache, partial
from pathlib import Path

from hub_server.audits.rules.case_sample import MOST_OF_SUITE, sample_cases
from hub_server.audits.rules.suite_cases import adapt_all, adapted
from schemas.evidence.cases import AuditCase, Origin
from schemas.measures.owners import HUB
from schemas.suite import SuiteAdapter, SuiteFamily
from schemas.wheels.package_data import case_rows

_log = logging.getLogger("hub_server.audits")


def held_cases(folder: Path, family: SuiteFamily, adapter: SuiteAdapter, secret: str) -> list[AuditCase]:
    """Cases of the hub's own ``folder`` for the family; no page, report or answer ever shows them.

    They have other names and another order for each release: or a verifier could tell one bit of a case by failing on
    it, its author would read in the list of failures which case that was, and the next release would tell another bit.
    """
    path = folder / f"{family}.jsonl"
    cases = [case for case in _read(path) if case.task is not None]
    cases = sample_cases(cases, [case.id for case in cases], MOST_OF_SUITE, secret)
    adapt = partial(as_held_case, secret=secret, adapter=adapter, suite="held", behind=HUB)
    return sorted(adapt_all(cases, adapt, f"held/{family}.jsonl"), key=lambda case: case.id)


def as_held_case(case: AuditCase, *, secret: str, adapter: SuiteAdapter, suite: str, behind: str) -> AuditCase:
    """A case that the hub holds, with nothing in it that a report shows and that would tell which case it is.

    A generator may write the case into its id, tags or cluster, or its author may know which of its cases has them.
    """
    hidden = case.model_copy(
        update={
            "id": _name_under(secret, case.id),
            "cluster": _name_under(secret, case.cluster) if case.cluster else "",
            "tags": [],
            "note": "",
            "source": "",
            "licence": "",
        }
    )
    return adapted(hidden, adapter, suite=suite, behind=behind, first_look=True, origin=Origin.HELD)


def _name_under(secret: str, name: str) -> str:
    return hmac.new(secret.encode(), f"name {name}".encode(), hashlib.sha256).hexdigest()[:16]


def _read(path: Path) -> list[AuditCase]:
    try:
        stamp = path.stat().st_mtime_ns
    except OSError:  # the operator has put no held cases there
        return []
    return _read_at(path, stamp)


@lru_cache(maxsize=32)
def _read_at(path: Path, _stamp: int) -> list[AuditCase]:
    try:
        return list(case_rows(path.read_bytes(), path.name))
    except (OSError, ValueError) as error:
        _log.warning("the held cases %s cannot be read and count for nothing: %s", path.name, error)
        return []
