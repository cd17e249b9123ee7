"""The simplest harness: one prompt, one completion."""

MAX_TURNS = 50


def run(messages: list, session_tools: list, interactive: bool):
    """Yields actions, returns the conversation. Without a session that is one completion."""
    conversation = list(messages)
    for _ in range(MAX_TURNS):
        reply = yield {"complete": conversation, "tools": session_tools}
        conversation.append(reply)
        if not interactive:
            break
        said = yield {"act": reply}
        conversation += said["messages"]
        if said["done"]:
            break
    return {"messages": conversation}
