"""A tool loop with a search: the model may look something up before it answers."""

MAX_ROUNDS, MAX_TURNS = 12, 50
"""Messages of the model: to one prompt, and in a session, which ends by its own rules (as in lecture/single-turn)."""
HINT = "You can look things up with the tools that you are given. Search before you answer when you are not sure."


def run(messages: list, tools: list, session_tools: list, interactive: bool):
    """The rounds of lecture/tool-loop, with a hint that there is a search."""
    conversation = [{"role": "system", "content": HINT}, *messages]
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
