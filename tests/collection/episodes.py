"""What the tests of sessions share: messages of a model, an episode of them, and what a broken model may send."""

import json
from collections.abc import Mapping
from typing import Any


def call(tool: str, /, **arguments: Any) -> dict[str, Any]:
    """One call of a tool."""
    return {"id": "c1", "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}}


def sent(*calls: object, text: str = "") -> dict[str, Any]:
    """An assistant's message with these calls."""
    return {"role": "assistant", "content": text, "tool_calls": list(calls)}


def played(package: Any, task: dict[str, Any], *messages: dict[str, Any]) -> dict[str, float]:
    """The rewards of an episode in which a model sends these messages."""
    session = package.Session()
    session.reset(task, 0)
    for message in messages:
        session.step(message)
    return package.verify(task, json.loads(json.dumps(session.state())))


def malformed(tool: str, argument: str) -> Mapping[str, object]:
    """Calls that are none, by name. ``argument`` is one that ``tool`` needs, a text."""

    def function(arguments: object, name: object = tool) -> dict[str, Any]:
        return {"id": "c1", "function": {"name": name, "arguments": arguments}}

    return {
        "null": None,
        "number": 5,
        "empty": {},
        "no-function": {"function": None},
        "text": {"id": 7, "function": tool},
        "no-arguments": {"function": {"name": tool}},
        "cut-off": function("{"),
        "deep": function("[" * 3000),
        "deep-object": function('{"a":' * 3000),
        "list": function("[]"),
        "name-is-list": function("{}", [tool]),
        "name-unknown": function("{}", "delete_all"),
        "name-of-method": function("{}", "__init__"),
        "null-argument": function({argument: None}),
        "list-argument": function({argument: [["x"]]}),
        "more-arguments": function({argument: "x", "more": 1}),
        "half-a-pair": function({argument: "\ud800"}),
        "endless": function({argument: "x" * 10**6}),
        "no-number": function(json.dumps({argument: float("nan")})),
        "many-digits": function(json.dumps({argument: "many"}).replace('"many"', "9" * 5000)),
    }
