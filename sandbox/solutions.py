"""The relay: a verifier's request for a solution runs in a solution box, and only JSON comes back."""

import asyncio
import json
from typing import Any

from sandbox.errors import BoxLostError
from sandbox.guest import frames
from sandbox.guest.solving import STARVED_FACTOR
from sandbox.items import Item
from sandbox.lot import Lot
from sandbox.settings import SandboxSettings
from sandbox.troubles import Trouble
from sandbox.verdicts import refuse_constant
from schemas.verdict import ErrorKind

_OUTER_SECONDS = 0.5  # the box's own clock for a solution ends it first and keeps its output


async def run_solution_request(lot: Lot, request: bytes, settings: SandboxSettings) -> bytes:
    """Run one request of ``sandbox.guest.run_solution``; the reply is JSON. Raises BoxLostError for our faults."""
    try:
        wanted = _checked(json.loads(request), settings)
    except (ValueError, TypeError, KeyError) as error:
        return _failed(f"run_solution could not be understood: {error}")
    longest_seconds = wanted["timeout_seconds"] * STARVED_FACTOR + _OUTER_SECONDS
    outcome, attempts = await ask(lot, json.dumps(wanted).encode(), longest_seconds)
    if isinstance(outcome, bytes):
        return _plain(outcome)
    if outcome.kind is ErrorKind.TIMEOUT:
        return json.dumps({"timed_out": True, "error": outcome.message}).encode()
    if outcome.kind is ErrorKind.HOST and attempts <= settings.host_retries:
        raise BoxLostError(outcome.message)
    # A solution that loses every box it runs in is at fault itself: else killing the box would be a free retry.
    return _failed(outcome.message)


async def ask(
    lot: Lot, payload: bytes, timeout_seconds: float, level: int = frames.CALL
) -> tuple[bytes | Trouble, int]:
    """One call as a coroutine: ``(reply or trouble, boxes lost on the way)``. Cancelling it frees the slot."""
    future: asyncio.Future[tuple[bytes | Trouble, int]] = asyncio.get_running_loop().create_future()

    def deliver(item: Item, outcome: bytes | Trouble, _: int) -> None:
        if not future.done():
            future.set_result((outcome, item.attempts))

    item = Item(payload, level, timeout_seconds, deliver)
    await lot.room()
    lot.submit([item])
    try:
        return await future
    except asyncio.CancelledError:
        lot.cancel([item])
        raise


def _checked(request: dict[str, Any], settings: SandboxSettings) -> dict[str, Any]:
    """The request with its limits brought within what the host allows."""
    seconds = min(max(float(request["timeout_seconds"]), 0.01), settings.solution_timeout_seconds)
    memory = min(max(int(request["memory_mb"]), 16), settings.solution_memory_mb)
    fields = ("code", "argv", "files", "stdin", "entry", "calls")
    return {**{name: request[name] for name in fields}, "timeout_seconds": seconds, "memory_mb": memory}


def _plain(reply: bytes) -> bytes:
    """The box's reply, when it is JSON of the right shape: what a model's code may have forged goes no further."""
    try:
        value = json.loads(reply, parse_constant=refuse_constant)
        fields = {
            "exit_status": _typed(value.get("exit_status"), int, None),
            "stdout": _typed(value.get("stdout"), str, ""),
            "stderr": _typed(value.get("stderr"), str, ""),
            "results": _results(value.get("results")),
            "files": {str(name): str(text) for name, text in _typed(value.get("files"), dict, {}).items()},
            "timed_out": value.get("timed_out") is True,
            "error": _typed(value.get("error"), str, "the solution's process broke"),
        }
    except (ValueError, AttributeError, TypeError, RecursionError) as error:
        return _failed(f"the solution's answer is not plain JSON: {error}")
    return json.dumps(fields).encode()


def _results(value: Any) -> list[dict[str, Any]]:
    rows = _typed(value, list, [])
    return [
        {"value": row["value"]} if set(row) == {"value"} else {"error": str(row.get("error", "no result"))}
        for row in rows
    ]


def _typed(value: Any, kind: type, default: Any) -> Any:
    return value if isinstance(value, kind) and not (kind is int and isinstance(value, bool)) else default


def _failed(message: str) -> bytes:
    return json.dumps({"error": message or "the solution failed"}).encode()
