"""A tool loop: calls are run until the model answers without one."""

MAX_ROUNDS, MAX_TURNS = 12, 50
"""Messages of the model: to one prompt, and in a session, which ends by its own rules (as in lecture/single-turn)."""


def run(messages: list, tools: list, session_tools: list, interactive: bool):
    """Each round: complete; run what was called; go on until a message calls nothing (and the session is over)."""
    conversation = list(messages)
    answered_by_session = {tool["function"]["name"] for tool in session_tools}
    for _ in range(MAX_TURNS if interactive else MAX_ROUNDS):
        reply = yield {"complete": conversation, "tools": tools}
        conversation.append(reply)
        calls = reply.get("tool_calls") or []
        others = [call for call in calls if call["function"]["name"] not in answered_by_session]
        for call in others:
            function = call["function"]
            result = yield {"call": function["name"], "arguments": function["arguments"]}
            conversation.append({"role": "tool", "tool_call_id": call["id"], "content": result})
        if others and len(others) == len(calls):
            continue
        if not interactive:
            break
        said = yield {"act": {**reply, "tool_calls": [call for call in calls if call not in others]}}
        conversation += said["messages"]
        if said["done"]:
            break
    return {"messages": conversation}
