"""Calls as the guest reads them, and its replies as verdicts: the boundary that names whose fault it was."""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import to_json

from sandbox.errors import VerifierFailedError, error_of
from sandbox.guest.vector import BrokenVectorError, check_vector
from sandbox.interface import Call, EncodedCall
from sandbox.lot import Trouble
from schemas.verdict import ErrorKind, Verdict, VerdictError

Ranges = Mapping[str, tuple[float, float]]
"""Reward name -> (low, high), as declared."""
_encode = json.JSONEncoder(allow_nan=False, separators=(",", ":"), ensure_ascii=False).encode


def encode_call(call: Call | EncodedCall) -> bytes:
    """A call as the guest reads it. Raises ValueError or TypeError for what is not JSON."""
    if isinstance(call, EncodedCall):
        return call.payload
    parts = [b'{"task":', _to_json(call.task)]
    for name, value in (
        (b"response", call.response),
        (b"messages", call.messages),
        (b"state", call.state),
        (b"files", call.files),
    ):
        if value is not None:
            parts += (b',"', name, b'":', _to_json(value))
    parts.append(b"}")
    return b"".join(parts)


def _to_json(value: Any) -> bytes:
    """By pydantic's core, five times as fast as ``json``; what it refuses, and NaN, is left to ``json``."""
    if not isinstance(value, (str, dict, list)):
        return _encode(value).encode("utf-8", "surrogatepass")
    try:
        encoded = to_json(value, inf_nan_mode="constants")
    except ValueError:
        return _encode(value).encode("utf-8", "surrogatepass")
    if b"NaN" in encoded or b"Infinity" in encoded:
        return _encode(value).encode("utf-8", "surrogatepass")
    return encoded


def refuse_constant(name: str) -> Any:
    """For ``json``: NaN and Infinity are not JSON."""
    raise ValueError(f"{name} is not a number that a verdict may hold")


_decode = json.JSONDecoder(parse_constant=refuse_constant).decode
_GUEST_KINDS = {ErrorKind.VERIFIER_FAILED, ErrorKind.MEMORY, ErrorKind.OUTPUT}


def verdict_of(outcome: bytes | Trouble, declared: Ranges) -> Verdict:
    """Check a reply once more, on this side: nothing that the guest sends is believed."""
    if isinstance(outcome, Trouble):
        return Verdict.unjudged(list(declared), outcome.kind, outcome.message)
    try:  # the usual case in one step: parsed and typed by pydantic's core, without coercion
        verdict = Verdict.model_validate_json(outcome, strict=True)
        if verdict.error is None and _fits(verdict.rewards, declared):
            return verdict
    except ValidationError:
        pass  # below, slowly, for the words
    try:
        reply = _decode(outcome.decode())
        error = reply.get("error")
        if error is not None:
            kind = ErrorKind(error["kind"])
            kind = kind if kind in _GUEST_KINDS else ErrorKind.VERIFIER_FAILED
            return Verdict.unjudged(list(declared), kind, str(error["message"]))
        rewards = check_vector(reply.get("rewards"), declared)
        info = reply.get("info", {})
        if not isinstance(info, dict):
            raise BrokenVectorError("info is not a dict")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as broken:
        return Verdict.unjudged(list(declared), ErrorKind.VERIFIER_FAILED, str(broken))
    return Verdict(rewards=rewards, info=info)


def _fits(rewards: Mapping[str, float | None], declared: Ranges) -> bool:
    if rewards.keys() != declared.keys():
        return False
    for name, value in rewards.items():
        if value is not None:
            low, high = declared[name]
            if not low <= value <= high:
                return False
    return True


def value_of(outcome: bytes | Trouble) -> Any:
    """The ``value`` of a reply that is not a verdict, or the exception that stands for its trouble."""
    if isinstance(outcome, Trouble):
        raise error_of(outcome.kind, outcome.message)
    try:
        reply = _decode(outcome.decode())
        error = reply.get("error")
        value = reply.get("value")
    except (ValueError, AttributeError, RecursionError) as broken:
        raise VerifierFailedError(f"the package's answer is not plain JSON: {broken}") from None
    if error is not None:
        raise VerifierFailedError(str(VerdictError.model_validate(error).message))
    return value
