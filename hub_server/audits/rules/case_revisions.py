"""Whether a case of a suite is an earlier one in other words, so that what was found of its label holds for it too."""

import re
import unicodedata
from collections import Counter
from decimal import Decimal, InvalidOperation
from functools import lru_cache

from schemas.evidence.cases import AuditCase
from schemas.task import canonical_json

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_WORD = re.compile(r"\w+|[^\w\s.,!?;:'\"`*]")
"""Words and signs. The marks of a sentence are left out: another one says nothing else."""
_KEPT = 0.9
"""Share of the earlier text's words that the later one still has."""
_LONGER = 2
"""Times as many words as the earlier text the later one may have, and a dozen more."""
_FREE = 12


def numbers_said(case: AuditCase) -> tuple[Decimal, ...]:
    """The numbers of answer and response, in their order: a revision has the same."""
    return tuple(_numbers(_answer(case) + " " + _said(case)))


def is_revision_of(case: AuditCase, earlier: AuditCase) -> bool:
    """Whether answer and response have the same numbers, and task and response nearly the same words.

    Final states and files must be the same: what they hold is no prose.

    Whoever corrects a case changes what was wrong: its label, its answer, or what the response says. Another byte in
    the prompt corrects nothing.
    """
    if numbers_said(case) != numbers_said(earlier):
        return False
    if (case.state, case.files) != (earlier.state, earlier.files):
        return False
    return _keeps(_asked(case), _asked(earlier)) and _keeps(_said(case), _said(earlier))


def _asked(case: AuditCase) -> str:
    task = {name: value for name, value in (case.task or {}).items() if name != "id"}
    return canonical_json(task).decode()


def _answer(case: AuditCase) -> str:
    return canonical_json((case.task or {}).get("answer")).decode()


def _said(case: AuditCase) -> str:
    return case.response if case.response is not None else canonical_json(case.messages).decode()


def _numbers(text: str) -> list[Decimal]:
    found = []
    for number in _NUMBER.findall(unicodedata.normalize("NFKC", text)):
        try:
            found.append(Decimal(number).normalize())
        except InvalidOperation:  # digits that Decimal does not read
            continue
    return found


def _keeps(later: str, earlier: str) -> bool:
    now, before = _words(later), _words(earlier)
    shared, size = (now & before).total(), before.total()
    return shared >= _KEPT * size and now.total() <= _LONGER * size + _FREE


@lru_cache(256)
def _words(text: str) -> Counter[str]:
    """Kept for a while: a reported case is compared with a hundred, and each of them with many that were reported."""
    return Counter(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))
