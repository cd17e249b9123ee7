"""The tool loops: how long they go on, with a session and without one."""

from typing import Any

import pytest

CALL = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"id": "c", "function": {"name": "look", "arguments": "{}"}}],
}
LOOK = {"type": "function", "function": {"name": "look"}}


def driven(run: Any, *, session_tools: list[dict[str, Any]]) -> int:
    """How often the model is asked that calls ``look`` each time; the session, if there is one, never ends."""
    actions = run([{"role": "user", "content": "?"}], [LOOK], session_tools, bool(session_tools))
    asked, reply = 0, None
    while True:
        try:
            action = actions.send(reply)
        except StopIteration:
            return asked
        asked += "complete" in action
        reply = CALL if "complete" in action else "seen" if "call" in action else {"messages": [], "done": False}


@pytest.mark.parametrize("name", ["tool-loop", "search-loop"])
def test_a_prompt_gets_twelve_rounds_and_a_session_fifty_turns(package_of, name):
    run = package_of(name).run
    assert driven(run, session_tools=[]) == 12
    assert driven(run, session_tools=[LOOK]) == 50
