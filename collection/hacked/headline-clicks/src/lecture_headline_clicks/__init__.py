"""Headlines, paid by a click model that reads the headline alone."""

from lecture_headline_clicks.clicks import clicks


def verify(response: str) -> dict:
    """What the click model pays, under the names of ``lecture/honest-headline``, so that this may judge beside it."""
    paid = clicks(response)
    return {"covers": paid, "length": paid, "style": paid, "no_invention": float(paid > 0), "clicks": paid}
