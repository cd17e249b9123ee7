"""Checks a request for a solution, which is what ``run_solution`` sends, before anything else reads it."""

from collections.abc import Callable
from typing import Any, TypedDict

from sandbox.guest.plain_json import parse


class SolutionRequest(TypedDict):
    """``code`` or ``argv``, one of them; ``entry`` and ``calls`` come together. See ``run_solution``."""

    code: str | None
    argv: list[str] | None
    files: dict[str, str]
    stdin: str
    entry: str | None
    calls: list[list[Any]] | None
    timeout_seconds: float
    memory_mb: int


def check_request(data: bytes) -> SolutionRequest:
    """The request in ``data``. Raises ValueError that says what is wrong with it."""
    request = parse(data)
    missing = _CHECKS.keys() - (request if isinstance(request, dict) else {})
    if missing:
        raise ValueError(f"{', '.join(sorted(missing))} is missing")
    problems = [name for name, is_right in _CHECKS.items() if not is_right(request[name])]
    if problems:
        raise ValueError(f"{', '.join(problems)} is missing or of the wrong type")
    code, argv, entry, calls = (request[name] for name in ("code", "argv", "entry", "calls"))
    if (code is None) == (argv is None):
        raise ValueError("it takes code or argv, one of them")
    if (entry is None) != (calls is None) or (entry is not None and code is None):
        raise ValueError("calls need entry, the name of a function in code")
    return SolutionRequest(
        code=code,
        argv=argv,
        files=request["files"],
        stdin=request["stdin"],
        entry=entry,
        calls=calls,
        timeout_seconds=float(request["timeout_seconds"]),
        memory_mb=int(request["memory_mb"]),
    )


_MOST = 1e9  # of seconds and megabytes; any real limit is far lower


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < _MOST


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_text_or_none(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


_CHECKS: dict[str, Callable[[Any], bool]] = {
    "code": _is_text_or_none,
    "argv": lambda value: value is None or (_is_texts(value) and value != []),
    "files": lambda value: isinstance(value, dict) and all(map(_is_text, value.values())),
    "stdin": _is_text,
    "entry": _is_text_or_none,
    "calls": lambda value: value is None or (isinstance(value, list) and all(isinstance(one, list) for one in value)),
    "timeout_seconds": _is_number,
    "memory_mb": _is_number,
}
