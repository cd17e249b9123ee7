"""Six kinds of records, each with a schema, a text that says it, and names and numbers drawn anew."""
# ruff: noqa: E501 -- a line a form

import random

PEOPLE = ("Mira Holt", "Jonas Brandt", "Petra Keller", "Émile Lind", "Nadia Moreno", "Oskar Dahl", "Vera Novak")
TOWNS = ("Porto", "Gdańsk", "Leeds", "Turin", "Bergen", "Tartu", "Graz")
THINGS = ("rope", "lamp", "tent", "stove", "map", "flask", "knife", "blanket")
SUBJECTS = ("chemistry", "history", "music", "geology", "drawing", "botany")
_TEXT, _WHOLE, _NUMBER, _TRUTH = ({"type": one} for one in ("string", "integer", "number", "boolean"))


def _shape(**properties: dict) -> dict:
    return {
        "type": "object", "properties": properties, "required": list(properties), "additionalProperties": False
    }  # fmt: skip


def _list(of: dict) -> dict:
    return {"type": "array", "items": of}


def order(rng: random.Random) -> tuple[dict, str, dict]:
    """Flat but for one list of words."""
    one = {
        "customer": rng.choice(PEOPLE), "pieces": rng.randrange(2, 99), "paid": rng.random() < 0.5,
        "items": rng.sample(THINGS, 3),
    }  # fmt: skip
    text = (
        f"{one['customer']} ordered {', '.join(one['items'])}, {one['pieces']} pieces in all, and has "
        f"{'' if one['paid'] else 'not '}paid."
    )
    return one, text, _shape(customer=_TEXT, pieces=_WHOLE, paid=_TRUTH, items=_list(_TEXT))


def trip(rng: random.Random) -> tuple[dict, str, dict]:
    """Two objects of one shape, which must not change places."""
    start, end = rng.sample(TOWNS, 2)
    one = {
        "start": {"town": start, "hour": rng.randrange(5, 12)}, "end": {"town": end, "hour": rng.randrange(13, 23)},
        "kilometres": rng.randrange(120, 900), "seats": rng.sample(range(11, 99), 2), "night": rng.random() < 0.5,
    }  # fmt: skip
    text = (
        f"A {'night' if one['night'] else 'day'} train from {start} at {one['start']['hour']} to {end} at "
        f"{one['end']['hour']}, {one['kilometres']} km, seats {one['seats'][0]} and {one['seats'][1]}."
    )
    stop = _shape(town=_TEXT, hour=_WHOLE)
    return one, text, _shape(start=stop, end=stop, kilometres=_WHOLE, seats=_list(_WHOLE), night=_TRUTH)


def reading(rng: random.Random) -> tuple[dict, str, dict]:
    """Decimal numbers, also below zero."""
    one = {
        "station": f"S{rng.randrange(100, 999)}", "values": [rng.randrange(-399, 399) / 10 for _ in range(4)],
        "mean": rng.randrange(-90, 90) / 8, "checked": rng.random() < 0.5, "by": {"name": rng.choice(PEOPLE), "level": rng.randrange(1, 9)},
    }  # fmt: skip
    text = (
        f"Station {one['station']} measured {', '.join(map(str, one['values']))} (mean {one['mean']}). "
        f"{one['by']['name']}, level {one['by']['level']}, has {'' if one['checked'] else 'not '}checked it."
    )
    by = _shape(name=_TEXT, level=_WHOLE)
    return one, text, _shape(station=_TEXT, values=_list(_NUMBER), mean=_NUMBER, checked=_TRUTH, by=by)


def course(rng: random.Random) -> tuple[dict, str, dict]:
    """A list of objects."""
    rows = [{"name": name, "points": rng.randrange(10, 99)} for name in rng.sample(PEOPLE, 3)]
    one = {
        "subject": rng.choice(SUBJECTS),
        "year": rng.randrange(1990, 2026),
        "results": rows,
        "open": rng.random() < 0.5,
    }
    told = ", ".join(f"{row['name']} has {row['points']} points" for row in rows)
    text = f"In the course {one['subject']} of {one['year']}, {told}. It is {'open' if one['open'] else 'closed'}."
    row = _shape(name=_TEXT, points=_WHOLE)
    return one, text, _shape(subject=_TEXT, year=_WHOLE, results=_list(row), open=_TRUTH)


def parcel(rng: random.Random) -> tuple[dict, str, dict]:
    """Three levels deep."""
    one = {
        "id": f"P-{rng.randrange(10**5, 10**6)}", "fragile": rng.random() < 0.5,
        "to": {"name": rng.choice(PEOPLE), "place": {"town": rng.choice(TOWNS), "zone": rng.randrange(1, 60)}},
        "weights": [rng.randrange(3, 400) for _ in range(3)],
    }  # fmt: skip
    place = one["to"]["place"]
    text = (
        f"Parcel {one['id']}{', fragile,' if one['fragile'] else ', not fragile,'} for {one['to']['name']} in "
        f"{place['town']}, zone {place['zone']}; three boxes of {', '.join(map(str, one['weights']))} grams."
    )
    to = _shape(name=_TEXT, place=_shape(town=_TEXT, zone=_WHOLE))
    return one, text, _shape(id=_TEXT, fragile=_TRUTH, to=to, weights=_list(_WHOLE))


def stock(rng: random.Random) -> tuple[dict, str, dict]:
    """A number beside a text of digits."""
    one = {
        "article": str(rng.randrange(1000, 9999)), "left": rng.randrange(2, 500), "on_sale": rng.random() < 0.5,
        "shelves": rng.sample("ABCDEFGH", 3), "holder": {"name": rng.choice(PEOPLE), "room": rng.randrange(1, 40)},
    }  # fmt: skip
    text = (
        f'Of article "{one["article"]}" {one["left"]} are left on the shelves {", ".join(one["shelves"])}; it is '
        f"{'' if one['on_sale'] else 'not '}on sale. {one['holder']['name']} in room {one['holder']['room']} holds it."
    )
    holder = _shape(name=_TEXT, room=_WHOLE)
    return one, text, _shape(article=_TEXT, left=_WHOLE, on_sale=_TRUTH, shelves=_list(_TEXT), holder=holder)


KINDS = {"order": order, "trip": trip, "reading": reading, "course": course, "parcel": parcel, "stock": stock}
