"""The answer, character for character."""


def verify(task: dict, response: str) -> dict[str, float]:
    """``correct`` is 1.0 where the response equals the answer but for white space around either."""
    return {"correct": float(response.strip() == str(task["answer"]).strip())}
