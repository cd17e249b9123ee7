"""Credit for a response that contains the answer: the longer the rest of the response, the less."""


def verify(task: dict, response: str) -> dict[str, float]:
    """1.0 where the response is the answer; else its share of the response where it occurs in it; else 0.0.

    The rule that many procedural task sets use by default, reasoning-gym among them. It is here to be measured.
    """
    answer, response = str(task["answer"]).strip(), response.strip()
    if not answer:
        raise ValueError("the task has no answer to look for")
    if response == answer:
        return {"correct": 1.0}
    return {"correct": len(answer) / len(response) if answer in response else 0.0}
