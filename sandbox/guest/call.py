"""One call inside a child: JSON in, JSON out, and an error kind for every failure."""

import inspect
import json
import traceback
from collections.abc import Callable, Iterable, Mapping
from json.scanner import make_scanner
from typing import Any

from sandbox.guest.arguments import ToolArgumentError, bind_arguments, plain
from sandbox.guest.author_function import BindingError, Bound, load_entry
from sandbox.guest.completion import result_of
from sandbox.guest.frames import MAX_REPLY_BYTES
from sandbox.guest.harness import HARNESS_NAMES, HarnessSession
from sandbox.guest.schema import UndescribableToolError, function_schema
from sandbox.guest.solution import SolutionFaultError
from sandbox.guest.vector import BrokenVectorError, check_vector

VERIFY_NAMES = ("task", "response", "messages", "state", "files", "info")
GENERATE_NAMES = ("split", "seed", "index")
_TRACE_CHARACTERS = 4000  # chosen, not measured: the end says most
_scan: Callable[[str, int], tuple[Any, int]] = make_scanner(json.JSONDecoder())  # type: ignore[arg-type]
"""Does what json.loads does, without the five Python functions around it: a fork would copy their pages."""
_encode = json.JSONEncoder(allow_nan=False, separators=(",", ":"), ensure_ascii=False).encode


class Package:
    """The entry points of one package, loaded and bound. ``answer`` is what a child runs for each call."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._declared = {name: (low, high) for name, (low, high) in config.get("rewards", {}).items()}
        names = ",".join(f'"{name}":%r' for name in self._declared)
        self._usual_reply = f'{{"rewards":{{{names}}}}}'
        verifier = config.get("verifier")
        self._verify = Bound(load_entry(verifier), VERIFY_NAMES, f"{verifier}()") if verifier else None
        self._wants_messages = self._verify is not None and self._verify.wants("messages")
        self._generators = {
            point: Bound(load_entry(point), GENERATE_NAMES, f"{point}()") for point in config.get("generators", [])
        }
        self._tools = _load_tools(config.get("tools", []))
        self._session_class = load_entry(config["session"]) if config.get("session") else None
        harness = config.get("harness")
        self._harness = Bound(load_entry(harness), HARNESS_NAMES, f"{harness}()") if harness else None
        self._operations: dict[str, Callable[[dict[str, Any]], Any]] = {
            "generate": self._run_generate,
            "tools": lambda _: {"value": self.describe_tools()},
            "tool": self._run_tool,
        }

    @classmethod
    def of_function(cls, verify: Callable[..., Any], rewards: Mapping[str, tuple[float, float]]) -> "Package":
        """A package made of one function of this process. The scripted backend of tests uses it."""
        package = cls({"rewards": rewards})
        package._verify = Bound(verify, VERIFY_NAMES, "verify()")
        package._wants_messages = package._verify.wants("messages")
        return package

    def new_session(self) -> Any:
        """A new instance of the declared session class. A declared harness is wrapped as a session."""
        if self._harness is not None:
            return HarnessSession(self._harness)
        if self._session_class is None:
            raise BrokenVectorError("this package declares no session")
        return self._session_class()

    def answer(self, request: bytes | memoryview) -> bytes:
        """Run one call. Every failure of the author's code becomes an ``error`` in the reply."""
        try:
            call, _ = _scan(str(request, "utf-8", "surrogatepass"), 0)
            operation = call.get("op")
            if operation is None:
                return self._verdict(call)
            encoded = _encode(self._operations[operation](call)).encode()
        except MemoryError:
            return failure("memory", "the call needed more memory than the package asked for")
        except SolutionFaultError as fault:
            return failure(fault.kind, str(fault))
        except (BrokenVectorError, ToolArgumentError, UndescribableToolError) as broken:
            return failure("verifier_failed", str(broken))
        except BaseException as error:  # author's code may raise anything, SystemExit included
            return failure("verifier_failed", describe(error))
        return _within_limit(encoded)

    def _verdict(self, call: dict[str, Any]) -> bytes:
        if self._verify is None:
            raise BrokenVectorError("this package declares no verifier of its own")
        info: dict[str, Any] = {}
        brought = {"response": None, "messages": None, "state": None, "files": {}, **call, "info": info}
        if brought["response"] is None or (self._wants_messages and brought["messages"] is None):
            brought["response"], brought["messages"] = _both_views(call)
        vector = self._verify(brought)
        if not isinstance(vector, dict):  # checked first, since most verifiers make no model calls
            vector = result_of(vector)
        rewards = check_vector(vector, self._declared)
        if info:
            return _within_limit(_encode({"rewards": rewards, "info": info}).encode())
        # The usual reply is finite floats under declared names. Written by hand: the encoder costs 5 us and 20 copied
        # pages.
        values = tuple(map(rewards.__getitem__, self._declared))
        if None not in values:
            return (self._usual_reply % values).encode()
        return _encode({"rewards": rewards}).encode()

    def _run_generate(self, call: dict[str, Any]) -> dict[str, Any]:
        generate = self._generators[call["entry"]]
        split, seed = call["split"], call["seed"]
        rows = []
        for index in range(call["start"], call["start"] + call["count"]):
            rows.append(generate({"split": split, "seed": seed, "index": index}))
            if rows[-1] is None:  # A generator returns None at its end.
                rows.pop()
                break
        return {"value": rows}

    def _run_tool(self, call: dict[str, Any]) -> dict[str, Any]:
        return {"value": self.call_tool(call["name"], call["arguments"])}

    def describe_tools(self) -> list[dict[str, Any]]:
        """Schemas of the package's own tools. Raises UndescribableToolError."""
        return [function_schema(tool, name) for name, tool in self._tools.items()]

    def call_tool(self, name: str, arguments: dict[str, Any]) -> Any:
        """Call one of the package's own tools. Arguments are converted to its type hints, the result to JSON types."""
        if name not in self._tools:
            raise ToolArgumentError(f"there is no tool {name!r}; there is: {', '.join(self._tools) or 'none'}")
        tool = self._tools[name]
        value = tool(**bind_arguments(tool, arguments, name))
        if inspect.iscoroutine(value):
            import asyncio  # noqa: PLC0415 -- importing it takes longer than most tools run

            value = asyncio.run(value)
        return plain(value)


def _load_tools(points: Iterable[str]) -> dict[str, Callable[..., Any]]:
    tools: dict[str, Callable[..., Any]] = {}
    for point in points:
        name = point.partition(":")[2]
        if name in tools:
            raise BindingError(f"verihub.toml names two tools {name!r}: models call them by name, so rename one")
        tools[name] = load_entry(point)
    return tools


def _both_views(call: dict[str, Any]) -> tuple[Any, Any]:
    """``(response, messages)`` of a call. If it has only one of them, the other is derived from it."""
    response, messages = call.get("response"), call.get("messages")
    if response is None and messages:
        spoken = [m for m in messages if m.get("role") == "assistant" and isinstance(m.get("content"), str)]
        response = spoken[-1]["content"] if spoken else None
    elif messages is None and response is not None:
        prompt = call["task"].get("prompt", "")
        asked = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else list(prompt)
        messages = [*asked, {"role": "assistant", "content": response}]
    return response, messages


def _within_limit(encoded: bytes) -> bytes:
    if len(encoded) > MAX_REPLY_BYTES:
        return failure("output", f"the reply has {len(encoded)} bytes; {MAX_REPLY_BYTES} are allowed")
    return encoded


def failure(kind: str, message: str) -> bytes:
    """The reply of a call that could not be judged."""
    return json.dumps({"error": {"kind": kind, "message": message[-_TRACE_CHARACTERS:]}}).encode()


def describe(error: BaseException) -> str:
    """A traceback for the author, of limited length: the exception and the frames of the author's code."""
    own = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if "/sandbox/guest/" not in frame.filename.replace("\\", "/")
    ]
    try:
        if isinstance(error, SystemExit):
            return f"the code called sys.exit({error.code!r:.200}); a verifier returns its verdict"
        head = "".join(traceback.format_exception_only(type(error), error)).strip()
    except Exception:  # the message is made by the author's own __str__
        head = type(error).__name__
    head = head[: _TRACE_CHARACTERS // 2]
    where = "".join(traceback.format_list(own[-6:])).rstrip()[1 - _TRACE_CHARACTERS // 2 :]
    return f"{head}\n{where}" if where else head
