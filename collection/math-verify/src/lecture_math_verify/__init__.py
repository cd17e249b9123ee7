"""Hugging Face's math-verify with its default settings, behind this hub's interface."""

import re
import threading
import time

from math_verify import parse
from math_verify import verify as same

SECONDS = 5
"""math-verify's own limit for one parse and for one comparison."""

_DELIMITED = re.compile(r"\$|\\\(|\\\[|\\boxed")
_PROSE = re.compile(r"(?:[A-Za-z]{2,}[ ,]+){3}|[.!?]\s|\n")


def verify(task: dict, response: str) -> dict[str, float | None]:
    """``correct`` is what ``math_verify.verify(parse(answer), parse(response))`` says.

    math-verify limits its time with SIGALRM, which exists in a process's main thread only; elsewhere it runs without
    its limit and the caller's has to do. Time that ran out makes it say "different"; that was no judgement, so it is
    null here.
    """
    answer = str(task["answer"])
    seconds = SECONDS if threading.current_thread() is threading.main_thread() else None
    started = time.monotonic()
    gold = parse(answer if _DELIMITED.search(answer) else f"${answer}$", parsing_timeout=seconds)
    found = parse(_delimited(response), parsing_timeout=seconds)
    equal = bool(same(gold, found, timeout_seconds=seconds))
    if not equal and time.monotonic() - started >= SECONDS:
        return {"correct": None}
    return {"correct": float(equal)}


def _delimited(response: str) -> str:
    """A bare formula in a box, because math-verify looks for delimiters; prose as it is."""
    bare = not _DELIMITED.search(response) and not _PROSE.search(response)
    return f"\\boxed{{{response}}}" if bare else response
