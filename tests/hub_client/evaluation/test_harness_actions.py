"""What a harness says is executed as it was said, or refused in words that name the mistake."""

import pytest

from hub_client.errors import CheckFailedError
from hub_client.evaluation.harness_actions import checked_action, checked_outcome
from hub_client.transport.chat_endpoint import LONGEST_STOP, MOST_STOPS, stop_fault

SAID = {"role": "user", "content": "x"}
CALLED = {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": {"name": "add"}}]}
PARTS = {"role": "user", "content": [{"type": "text", "text": "x"}]}


@pytest.mark.parametrize(
    ("action", "executed"),
    [
        ({"complete": [SAID, CALLED, PARTS]}, {"complete": [SAID, CALLED, PARTS], "tools": [], "stop": ()}),
        (
            {"complete": [], "tools": None, "stop": "\n"},
            {"complete": [], "tools": [], "stop": ("\n",)},
        ),
        ({"complete": [], "stop": ["a", "b"]}, {"complete": [], "tools": [], "stop": ("a", "b")}),
        ({"call": "add", "arguments": "{"}, {"call": "add", "arguments": "{"}),
        ({"act": SAID}, {"act": SAID, "in": "main"}),
        ({"act": SAID, "in": "b"}, {"act": SAID, "in": "b"}),
        ({"branch": "b"}, {"branch": "b", "of": "main"}),
        ({"branch": "main", "of": "b"}, {"branch": "main", "of": "b"}),
        ({"undo": "main"}, {"undo": "main"}),
        (
            {"all": [{"act": SAID}, {"act": SAID, "in": "b"}, {"call": "add"}]},
            {"all": [{"act": SAID, "in": "main"}, {"act": SAID, "in": "b"}, {"call": "add"}]},
        ),
    ],
)
def test_what_can_be_executed_is(action, executed) -> None:
    assert checked_action(action) == executed


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ([], "one of complete, call, act, branch, undo, all"),
        ({"act": SAID, "call": "add"}, "one of complete, call, act, branch, undo, all"),
        ({"complete": [], "temperature": 0}, "'temperature' beside 'complete'"),
        ({"complete": {}}, "a list of messages"),
        ({"complete": [{"role": 1}]}, "an object with a role"),
        ({"complete": [{"role": "user", "content": {}}]}, "content is text"),
        ({"complete": [{"role": "assistant", "tool_calls": [{}]}]}, "function.name"),
        ({"complete": [], "tools": ["add"]}, "function schemas"),
        ({"complete": [], "stop": [3]}, "a list of strings"),
        ({"complete": [], "stop": ["", "a"]}, "not empty"),
        ({"act": "go"}, "act is a message"),
        ({"act": SAID, "in": 3}, "in is the name of a session"),
        ({"branch": ""}, "branch is the name of a session"),
        ({"branch": "b", "of": None}, "of is the name of a session"),
        ({"branch": "main"}, "needs another name"),
        ({"undo": True}, "undo is the name of a session"),
        ({"all": []}, "a list of actions"),
        ({"all": {"complete": []}}, "a list of actions"),
        ({"all": [{"undo": "main"}]}, "one of complete, call, act,"),
        ({"all": [{"all": [{"complete": []}]}]}, "one of complete, call, act,"),
        ({"all": [{"complete": [], "temperature": 0}]}, "'temperature' beside 'complete'"),
        ({"all": [{"act": SAID}, {"act": SAID}]}, "two steps of one session"),
    ],
)
def test_what_cannot_is_refused_and_says_what_is_wrong(action, words) -> None:
    with pytest.raises(CheckFailedError, match=words):
        checked_action(action)


def test_an_outcome_is_a_conversation() -> None:
    assert checked_outcome({"messages": [SAID], "more": 1}) == {"messages": [SAID], "more": 1, "in": "main"}
    assert checked_outcome({"messages": [], "in": "b"})["in"] == "b"
    for outcome in (None, [], {}, {"messages": None}, {"messages": [None]}, {"messages": [], "in": 1}):
        with pytest.raises(CheckFailedError, match=r"messages|in is the name"):
            checked_outcome(outcome)


def test_stop_sequences_are_few_and_short() -> None:
    """After each token all are looked for: of 10,000, or of one with a million characters, others would feel it."""
    assert not stop_fault(["x" * LONGEST_STOP] * MOST_STOPS)
    assert not stop_fault([])
    assert "16" in stop_fault(["x"] * (MOST_STOPS + 1))
    assert "256" in stop_fault(["x" * (LONGEST_STOP + 1)])
    assert "empty" in stop_fault(["x", ""])
