"""A tool loop with a search: the model may look something up before it answers."""

MAX_ROUNDS = 12
HINT = "You can look things up with the tools that you are given. Search before you answer when you are not sure."


def run(messages: list, tools: list, interactive: bool):
    """The rounds of lecture/tool-loop, with a hint that there is a search."""
    conversation = [{"role": "system", "content": HINT}, *messages]
    for _ in range(MAX_ROUNDS):
        reply = yield {"complete": conversation, "tools": tools}
        conversation.append(reply)
        for call in reply.get("tool_calls") or []:
            function = call["function"]
            result = yield {"call": function["name"], "arguments": function["arguments"]}
            conversation.append({"role": "tool", "tool_call_id": call["id"], "content": result})
        if reply.get("tool_calls"):
            continue
        if not interactive:
            break
        said = yield {"act": reply}
        conversation += said["messages"]
        if said["done"]:
            break
    return {"messages": conversation}
