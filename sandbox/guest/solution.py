"""``run_solution``: a verifier has the host run a model's code in another box, and gets the results as data."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


class SolutionUnavailableError(RuntimeError):
    """run_solution was called without a host: at import, or outside the sandbox."""


class SolutionFaultError(BaseException):
    """The solution gave nothing that could be judged.

    It is a BaseException, so that a verifier's ``except Exception`` cannot turn it into "wrong".
    """

    kind = ""


class SolutionHostFaultError(SolutionFaultError):
    """The host could not run the solution."""

    kind = "host"


class OutputFaultError(SolutionFaultError):
    """The solution's result is too large to be transferred."""

    kind = "output"


@dataclass(frozen=True)
class SolutionResult:
    """The result of a solution: plain JSON data only, so that no object of the model's code gets into the verifier.

    ``exit_status`` is None when the process was killed. ``result`` is the value of ``entry(*args)``; ``results`` holds
    one ``{"value": …}`` or ``{"error": text}`` for each item of ``calls``. ``error`` is empty when all went well.
    ``files`` are the text files that the solution left in its folder.
    """

    exit_status: int | None = None
    stdout: str = ""
    stderr: str = ""
    result: Any = None
    results: list[dict[str, Any]] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    timed_out: bool = False
    error: str = ""


Ask = Callable[[bytes], bytes]
_ask: list[Ask] = []  # the connection of the call that runs in this process, if any


def connect(ask: Ask) -> None:
    """Set the connection of ``run_solution`` to the host. A child of the zygote does this once, before the author's
    code.
    """
    _ask[:] = [ask]


def run_solution(  # noqa: PLR0913, PLR0917 -- an author's one-stop call: every option has a name and a default
    code: str | None = None,
    argv: list[str] | None = None,
    files: dict[str, str] | None = None,
    stdin: str = "",
    entry: str | None = None,
    args: list[Any] | None = None,
    calls: list[list[Any]] | None = None,
    timeout_seconds: float = 2.0,
    memory_mb: int = 256,
) -> SolutionResult:
    """Run Python ``code`` (or ``argv``) in a solution box: no package, no answer, no network.

    With ``entry`` the code is executed, then ``entry(*args)`` is called and its JSON value is ``result``; with
    ``calls`` it is called once for each list of arguments, in one process, and ``results`` has an item for each.
    Without ``entry`` the code runs as a script. ``files`` are written beside it first. Compare what comes back here,
    strictly: values are plain JSON (a tuple has become a list, a key a string). A solution that fails is data, never
    an exception. One whose results have more than 512 KB cannot be judged: the call ends with the error ``output``.
    """
    if (code is None) == (argv is None):
        raise ValueError("run_solution takes code or argv, one of them")
    if entry is None and (args is not None or calls is not None):
        raise ValueError("run_solution: args and calls need entry, the name of the function to call")
    request = {
        "code": code,
        "argv": argv,
        "files": files or {},
        "stdin": stdin,
        "entry": entry,
        "calls": calls if calls is not None else ([args or []] if entry else None),
        "timeout_seconds": float(timeout_seconds),
        "memory_mb": int(memory_mb),
    }
    reply = _exchange(_encode(request).encode())
    return _result(reply, single=calls is None)


def ask_host(request: bytes) -> bytes:
    """Send a request and return the host's answer. Raises SolutionUnavailableError if there is no host.

    A broken connection is a SolutionHostFaultError, which a verifier's ``except Exception`` cannot turn into a zero.
    """
    if not _ask:
        raise SolutionUnavailableError(
            "run_solution, and asking a model, work inside a call in the sandbox; while a package is imported there is "
            "no host to ask"
        )
    try:
        return _ask[0](request)
    except OSError as error:
        if error.errno is None:  # raised by the author's code, for example by its handler of SIGALRM
            raise
        raise SolutionHostFaultError(f"the host could not be asked: {error}") from error


def _exchange(request: bytes) -> dict[str, Any]:
    try:
        reply: dict[str, Any] = _decode(ask_host(request).decode())
    except RecursionError:  # The verifier itself is close to its memory limit.
        return {"error": "the solution's results are nested too deep to be read here"}
    if "host_fault" in reply:
        raise SolutionHostFaultError(reply["host_fault"])
    if "output_fault" in reply:
        raise OutputFaultError(reply["output_fault"])
    return reply


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_encode = json.JSONEncoder(allow_nan=False).encode
_decode = json.JSONDecoder(parse_constant=_refuse_constant).decode
"""Both made once, before the fork of the call that uses them."""


def _result(reply: dict[str, Any], *, single: bool) -> SolutionResult:
    """The host's reply (already checked by the host) as a SolutionResult."""
    results = reply.get("results") or []
    error = reply.get("error") or ""
    value = None
    if single and results:
        value = results[0].get("value")
        error = error or results[0].get("error", "")
    return SolutionResult(
        exit_status=reply.get("exit_status"),
        stdout=reply.get("stdout", ""),
        stderr=reply.get("stderr", ""),
        result=value,
        results=results,
        files=reply.get("files", {}),
        timed_out=bool(reply.get("timed_out")),
        error=error,
    )
