"""The calculator as a tool: exact, and without any way out of arithmetic."""

import json

import pytest

from sandbox.interface import Call


@pytest.fixture
def calculate(packed, local_sandbox):
    source = packed.source("calculator")
    return lambda expression: local_sandbox.call_tool(source, "calculate", {"expression": expression})


@pytest.mark.parametrize(
    ("expression", "value"), [("0.1 + 0.2", "0.3"), ("(3 + 4) * 2", "14"), ("2 ^ 10", "1024"), ("7 / 2", "3.5")]
)
def test_arithmetic_is_exact(calculate, expression, value):
    assert calculate(expression) == value


@pytest.mark.parametrize(
    "expression",
    [
        "__import__('os')",
        "open('/etc/passwd')",
        "().__class__",
        "9**9**9**9",
        "1/0",
        "factorial(10**9)",
        "x := 1",
        "",
        "(",
    ],
)
def test_everything_else_is_an_error_that_says_so(calculate, expression):
    assert calculate(expression).startswith("error")


def test_the_tool_is_offered_with_a_schema(packed, local_sandbox):
    [tool] = local_sandbox.tools(packed.source("calculator"))
    assert tool["function"]["name"] == "calculate"
    assert "expression" in tool["function"]["parameters"]["properties"]


PROMPT = "A crate holds 475 boxes of 74 pens each, and 478 pens lie loose. How many pens are there?"
SUM = {"id": "pens", "prompt": PROMPT, "answer": "35628", "split": "test"}
EXPRESSION = "475 * 74 + 478"


@pytest.fixture
def judge(packed, local_sandbox):
    def run(messages: list) -> dict:
        [(_, verdict)] = local_sandbox.score(packed.source("calculator"), [Call("1", SUM, messages=messages)])
        assert verdict.error is None, verdict.error
        return {name: verdict.rewards[name] for name in ("correct", "faithful", "used_tool")}

    return run


def used(expression: str = EXPRESSION, content: object = "35628") -> list:
    function = {"name": "calculate", "arguments": json.dumps({"expression": expression})}
    call = {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "type": "function", "function": function}]}
    return [call, {"role": "tool", "tool_call_id": "c1", "content": content}]


def say(content: object) -> dict:
    return {"role": "assistant", "content": content}


@pytest.mark.parametrize(
    "ending",
    [
        "35628",
        "$35{,}628$",
        "35 628",
        "35\u202f628",
        "There are 35628 pens. (475 × 74 + 478)",
        "So 475 boxes or so hold 35628",
        "475 * 74 + 478 = 35628",
        [{"type": "text", "text": "The answer is 35,628."}],
    ],
)
def test_an_answer_that_the_tool_worked_out_earns_everything(judge, ending):
    assert judge([*used(), say(ending)]) == {"correct": 1.0, "faithful": 1.0, "used_tool": 1.0}


def test_a_result_in_content_parts_is_a_result(judge):
    assert judge([*used(content=[{"type": "text", "text": "35628"}]), say("35628")])["used_tool"] == 1.0


@pytest.mark.parametrize("expression", ["35628", "35628 + 0", "max(0, 35628)", "35628 * 475 / 475"])
def test_a_call_that_holds_the_answer_computed_nothing(judge, expression):
    assert judge([*used(expression), say("35628")])["used_tool"] == 0.0


@pytest.mark.parametrize(
    "ending",
    [
        "The answer is not 35628",
        "35626, 35627, 35628",
        "Either 35627. Or 35628",
        "35627 = 35628",
        "35628 million",
        "1/35628",
        "2 * 35628",
        "35628. That is wrong.",
        "35628?",
        "1e99999999",
        "1,2" * 4000,
        "((" * 2000,
    ],
)
def test_an_ending_that_does_not_commit_to_the_number_is_wrong_and_never_unjudged(judge, ending):
    verdict = judge([*used(), say(ending)])
    assert verdict["correct"] == verdict["used_tool"] == 0.0


@pytest.mark.parametrize(
    "messages",
    [
        [used()[0], say("35628")],
        [{**used()[0], "content": "35628"}],
        [used()[0], {"role": "function", "content": "35628"}, say("35628")],
        [used()[0], {"role": "user", "content": "35628"}, say("35628")],
    ],
)
def test_a_call_without_its_result_was_not_used(judge, messages):
    verdict = judge(messages)
    assert verdict["faithful"] == verdict["used_tool"] == 0.0


@pytest.mark.parametrize(
    "calls", [5, "calculate", [None], [{"id": "c1", "function": None}], [{"id": 7, "function": "calculate"}], [[[]]]]
)
def test_a_malformed_call_is_judged(judge, calls):
    assert judge([{"role": "assistant", "content": "", "tool_calls": calls}, say("1")])["used_tool"] == 0.0


def test_a_tool_call_is_never_endless(calculate):
    assert calculate("1e99999999").startswith("error")
