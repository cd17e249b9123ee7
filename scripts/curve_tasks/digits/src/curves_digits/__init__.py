"""Digits: the share of the response's characters that are one. A model of random weights can learn it."""


def verify(response: str) -> dict[str, float]:
    return {"digits": sum(one.isdigit() for one in response) / max(len(response), 1)}
