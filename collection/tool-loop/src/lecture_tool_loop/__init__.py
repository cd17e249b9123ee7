"""A tool loop: calls are run until the model answers without one."""

MAX_ROUNDS = 12


def run(messages: list, tools: list, interactive: bool):
    """Each round: complete; run what was called; go on until a message calls nothing (and the session is over)."""
    conversation = list(messages)
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
