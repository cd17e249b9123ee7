"""A plan before the answer."""

PLAN = "Before you answer: write a short plan, in numbered steps. Do not give the answer yet."
ACT = "Now follow your plan and answer the task, in the form that it asks for."
MAX_TURNS = 50


def run(messages: list, session_tools: list, interactive: bool):
    """One completion for the plan, then one for the answer (or one a turn of the session)."""
    conversation = [*messages, {"role": "user", "content": PLAN}]
    plan = yield {"complete": conversation}
    conversation += [plan, {"role": "user", "content": ACT}]
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
