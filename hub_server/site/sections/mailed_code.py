"""Pages whose address carries a code that was mailed."""

from fastapi.responses import HTMLResponse

LONGEST_CODE = 200


def keep_secret(answer: HTMLResponse) -> HTMLResponse:
    """No other site is told of the address, and nothing keeps the page."""
    answer.headers["Referrer-Policy"] = "no-referrer"
    answer.headers["Cache-Control"] = "no-store"
    return answer
