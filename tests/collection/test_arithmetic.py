"""Arithmetic as a tool: exact, and without any way out of arithmetic."""

import pytest


@pytest.fixture
def calculate(packed, local_sandbox):
    source = packed.source("arithmetic")
    return lambda expression: local_sandbox.call_tool(source, "calculate", {"expression": expression})


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("0.1 + 0.2", "0.3"),
        ("(3 + 4) * 2", "14"),
        ("2 ^ 10", "1024"),
        ("7 / 2", "3.5"),
        ("round(1/3, 2)", "0.33"),
        ("ceil(7/2)", "4"),
        ("(10^340 + 1) / 3", "3.33333333333e+339"),
    ],
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
        "round(1/3, 10**9)",
        "x := 1",
        "",
        "(",
        "1e99999999",
    ],
)
def test_everything_else_is_an_error_that_says_so(calculate, expression):
    assert calculate(expression).startswith("error")


def test_the_tool_is_offered_with_a_schema(packed, local_sandbox):
    [tool] = local_sandbox.tools(packed.source("arithmetic"))
    assert tool["function"]["name"] == "calculate"
    assert "expression" in tool["function"]["parameters"]["properties"]
