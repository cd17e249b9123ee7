"""Encodes calls for the guest, and turns its replies into verdicts, with an error that says whose fault it was."""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import from_json, to_json

from sandbox.errors import VerifierFailedError, error_of
from sandbox.guest.vector import BrokenVectorError, check_vector
from sandbox.host.call_groups import AskedReply, CallError
from sandbox.interface import AnyCall, EncodedCall
from schemas.strict_json import may_hold_unfit_number, parse_json
from schemas.verdict import ErrorKind, Verdict, VerdictError

Ranges = Mapping[str, tuple[float, float]]
"""Reward name -> (low, high), as declared."""
_encode = json.JSONEncoder(allow_nan=False, separators=(",", ":"), ensure_ascii=False).encode


def encode_call(call: AnyCall, task: bytes | None = None) -> bytes:
    """The call as JSON for the guest. ``task``: its encoded task, if there is one already.

    Raises ValueError or TypeError if it is not JSON.
    """
    if isinstance(call, EncodedCall):
        return call.payload
    parts = [b'{"task":', encode_task(call.task) if task is None else task]
    if call.response is not None:
        parts += (b',"response":', _text_to_json(call.response))
    if call.messages is not None:
        parts += (b',"messages":', _to_json(call.messages))
    if call.state is not None:
        parts += (b',"state":', _to_json(call.state))
    if call.files is not None:
        parts += (b',"files":', _to_json(call.files))
    parts.append(b"}")
    return b"".join(parts)


def encode_task(task: Any) -> bytes:
    """The JSON of a task, which all responses to it share. None counts as an empty task."""
    return _to_json({} if task is None else task)


def _text_to_json(text: Any) -> bytes:
    try:
        return to_json(text) if type(text) is str else _to_json(text)
    except ValueError:  # half a surrogate pair
        return _encode(text).encode("utf-8", "surrogatepass")


def _to_json(value: Any) -> bytes:
    """JSON by pydantic's core, which is five times as fast as ``json``. ``json`` handles NaN and what the core
    refuses.
    """
    if not isinstance(value, (str, dict, list)):
        return _encode(value).encode("utf-8", "surrogatepass")
    try:
        encoded = to_json(value, inf_nan_mode="constants")
    except ValueError:
        return _encode(value).encode("utf-8", "surrogatepass")
    if b"NaN" in encoded or b"Infinity" in encoded:
        return _encode(value).encode("utf-8", "surrogatepass")
    return encoded


_validate = Verdict.__pydantic_validator__.validate_json
_GUEST_KINDS = {ErrorKind.VERIFIER_FAILED, ErrorKind.MEMORY, ErrorKind.OUTPUT}


def verdict_of(outcome: bytes | CallError, declared: Ranges) -> Verdict:
    """The verdict of a reply. It is checked again here, because the guest is not trusted."""
    verdict = _verdict_of(outcome, declared)
    asked = outcome.asked if isinstance(outcome, (AskedReply, CallError)) else ()
    if not asked and not verdict.asked:  # a package cannot claim model calls that it did not make
        return verdict
    return verdict.model_copy(update={"asked": list(asked)})


def _verdict_of(outcome: bytes | CallError, declared: Ranges) -> Verdict:
    if isinstance(outcome, CallError):
        return Verdict.unjudged(list(declared), outcome.kind, outcome.message)
    try:  # the usual case: parsed and typed in one step by pydantic's core, without coercion
        verdict: Verdict = _validate(outcome, strict=True)
        has_plain_info = not verdict.info or not may_hold_unfit_number(outcome)  # the only untyped part
        if verdict.error is None and fits(verdict.rewards, declared) and has_plain_info:
            return verdict
    except ValidationError:
        pass  # checked again below for the error message
    try:
        reply = parse_json(outcome)
        error = reply.get("error")
        if error is not None:
            kind = ErrorKind(error["kind"])
            kind = kind if kind in _GUEST_KINDS else ErrorKind.VERIFIER_FAILED
            return Verdict.unjudged(list(declared), kind, _writable(str(error["message"])))
        rewards = check_vector(reply.get("rewards"), declared)
        info = reply.get("info", {})
        if not isinstance(info, dict):
            raise BrokenVectorError("info is not a dict")
        info = _plain_info(info)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as broken:
        return Verdict.unjudged(list(declared), ErrorKind.VERIFIER_FAILED, _writable(str(broken)))
    return Verdict(rewards=rewards, info=info)


def _plain_info(info: dict[str, Any]) -> dict[str, Any]:
    """``info`` in a form that any JSON reader accepts. Parts that are too deep are left out, so that the rewards
    survive.
    """
    try:
        plain: dict[str, Any] = from_json(_writable(_encode(info)), allow_inf_nan=False)
    except (ValueError, RecursionError) as error:
        return {"info_left_out": str(error)}
    return plain


def _writable(text: str) -> str:
    """``text`` without halves of surrogate pairs, which JSON encoders refuse."""
    return text.encode("utf-8", "replace").decode()


def fits(rewards: Mapping[str, float | None], declared: Ranges) -> bool:
    """Whether ``rewards`` has exactly the declared names, each null or within its range."""
    if len(rewards) != len(declared):
        return False
    for name, value in rewards.items():
        bounds = declared.get(name)
        if bounds is None or (value is not None and not bounds[0] <= value <= bounds[1]):
            return False
    return True


def _error_of_guest(error: Any) -> Exception:
    """The exception for an error that a guest reports. A guest cannot blame the host."""
    try:
        said = VerdictError.model_validate(error)
    except ValidationError:
        return VerifierFailedError("the package's answer says neither a value nor what went wrong")
    kind = said.kind if said.kind in _GUEST_KINDS else ErrorKind.VERIFIER_FAILED
    return error_of(kind, said.message)


def value_of(outcome: bytes | CallError) -> Any:
    """The ``value`` of a reply that is not a verdict, or the exception that says why there is none."""
    if isinstance(outcome, CallError):
        raise error_of(outcome.kind, outcome.message)
    try:
        reply = parse_json(outcome)
        error = reply.get("error")
        value = reply.get("value")
    except (ValueError, AttributeError, RecursionError) as broken:
        raise VerifierFailedError(f"the package's answer is not plain JSON: {broken}") from None
    if error is not None:
        raise _error_of_guest(error)
    return value
