"""Different digits: each one counts once, so that "7777" earns a quarter of what "7301" earns."""


def verify(response: str) -> dict[str, float]:
    return {"digits": len({one for one in response if one.isdigit()}) / max(len(response), 1)}
