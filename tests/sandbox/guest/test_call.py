import json
from collections.abc import Callable
from typing import Any, Literal

import pytest

from sandbox.guest.author_function import BindingError, Bound, load_entry
from sandbox.guest.call import Package
from sandbox.guest.schema import function_schema

TASK = {"id": "t", "prompt": "2+2?", "answer": "4"}


def answer(verify: Callable[..., Any], **call: Any) -> dict[str, Any]:
    package = Package.of_function(verify, {"correct": (0.0, 1.0)})
    reply: dict[str, Any] = json.loads(package.answer(json.dumps({"task": TASK, **call}).encode()))
    return reply


def test_a_function_gets_what_it_names() -> None:
    reply = answer(lambda response, task: {"correct": float(response == task["answer"])}, response="4")
    assert reply == {"rewards": {"correct": 1.0}}


def test_a_function_that_takes_everything_gets_everything() -> None:
    def verify(**known: Any) -> dict[str, float]:
        known["info"]["names"] = sorted(known)
        return {"correct": 0.0}

    names = ["files", "info", "messages", "response", "state", "task"]
    assert answer(verify, response="4")["info"] == {"names": names}


def test_a_response_is_the_last_thing_the_assistant_said() -> None:
    spoken = [{"role": "assistant", "content": "1"}, {"role": "user", "content": "no"}]
    spoken += [{"role": "assistant", "content": "4"}, {"role": "tool", "content": "9"}]
    assert answer(lambda response: {"correct": float(response == "4")}, messages=spoken)["rewards"]["correct"] == 1.0


def test_messages_are_made_of_prompt_and_response() -> None:
    def verify(messages: list[dict[str, str]]) -> dict[str, float]:
        said = [(message["role"], message["content"]) for message in messages]
        return {"correct": float(said == [("user", "2+2?"), ("assistant", "5")])}

    assert answer(verify, response="5")["rewards"]["correct"] == 1.0


def test_state_and_files_default_to_nothing() -> None:
    reply = answer(lambda state, files: {"correct": float(state is None and files == {})}, response="")
    assert reply["rewards"]["correct"] == 1.0


@pytest.mark.parametrize(
    ("raises", "kind", "words"),
    [
        (ValueError("no digits"), "verifier_failed", "ValueError: no digits"),
        (SystemExit(0), "verifier_failed", "sys.exit(0)"),
        (KeyboardInterrupt(), "verifier_failed", "KeyboardInterrupt"),
        (MemoryError(), "memory", "memory"),
        (RecursionError("deep"), "verifier_failed", "RecursionError"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else None,
)
def test_what_the_author_raises_has_a_name(raises: BaseException, kind: str, words: str) -> None:
    def verify(task: object) -> None:
        raise raises

    error = answer(verify)["error"]
    assert error["kind"] == kind
    assert words in error["message"]
    assert "sandbox/guest" not in error["message"]


def test_a_verdict_that_is_too_long_is_output() -> None:
    def verify(info: dict[str, str]) -> dict[str, float]:
        info["x"] = "x" * (2 << 20)
        return {"correct": 1.0}

    assert answer(verify)["error"]["kind"] == "output"


def test_info_that_is_not_json_is_the_authors_fault() -> None:
    def verify(info: dict[str, object]) -> dict[str, float]:
        info["x"] = object()
        return {"correct": 1.0}

    assert answer(verify)["error"]["kind"] == "verifier_failed"


def test_an_unknown_parameter_is_refused_when_the_package_is_loaded() -> None:
    with pytest.raises(BindingError, match="'solution'; what it can take: task, response"):
        Bound(lambda task, solution: None, ("task", "response"), "verify()")
    with pytest.raises(BindingError, match="positional-only"):
        Bound(lambda task, /: None, ("task",), "verify()")
    assert Bound(lambda task, extra=3: (task, extra), ("task",), "verify()")({"task": 1}) == (1, 3)


def test_an_entry_point_that_is_not_there_is_named() -> None:
    assert load_entry("json:dumps") is json.dumps
    with pytest.raises(BindingError, match="json has no 'dump_all'"):
        load_entry("json:dump_all")


def search(
    query: str, limit: int = 5, kinds: list[str] | None = None, order: Literal["up", "down"] = "up"
) -> dict[str, int]:
    """Look something up.

    It takes a moment.

    Args:
        query: what to look for
        limit (int): at most this many
    """
    raise NotImplementedError


def test_a_tools_schema_comes_from_hints_and_docstring() -> None:
    function = function_schema(search)["function"]
    assert function["name"] == "search"
    assert function["description"] == "Look something up.\n\nIt takes a moment."
    assert function["parameters"] == {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "what to look for"},
            "limit": {"type": "integer", "description": "at most this many", "default": 5},
            "kinds": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}], "default": None},
            "order": {"type": "string", "enum": ["up", "down"], "default": "up"},
        },
        "required": ["query"],
        "additionalProperties": False,
    }
