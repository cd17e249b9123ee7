"""Values: how a text says them, and the forms that a schema may ask for."""

# ruff: noqa: E501 -- tables

import datetime as dt
from random import Random

from lecture_json_shape.domains import NAMES, Domain, Field

_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
Shape = tuple[dict, object]
"""A JSON Schema, and the value that the text tells in that form."""


def draw(kind: str, field: Field, split: str, random: Random) -> object:
    """A value of a kind."""
    first, last = NAMES[split]
    name = f"{random.choice(first)} {random.choice(last)}"
    return {
        "name": lambda: name,
        "date": lambda: dt.date(2026, 1, 1) + dt.timedelta(days=random.randrange(700)),
        "money": lambda: random.choice((random.randrange(500, 9900, 50), random.randrange(100_000, 400_000, 5))),
        "count": lambda: random.randrange(2, 13),
        "duration": lambda: random.choice((20, 45, 50, 60, 75, 90, 105, 120, 135, 150)),
        "flag": lambda: random.random() < 0.5,
        "choice": lambda: random.choice(list(field.options)),
        "email": lambda: f"{name.lower().replace(' ', '.')}@{random.choice(('post', 'mail', 'box'))}.example",
        "phone": lambda: (
            f"+{random.choice((43, 44, 49))} {random.randrange(20, 99)} {random.randrange(100, 999)} {random.randrange(1000, 9999)}"
        ),
    }[kind]()


def said(kind: str, field: Field, value: object, random: Random) -> str:
    """A sentence that tells a value."""
    if kind == "flag":
        return random.choice(field.said if value else field.unless)
    sentence = random.choice(field.said).format(in_words(kind, field, value, random))
    return sentence[0].upper() + sentence[1:]


def in_words(kind: str, field: Field, value, random: Random) -> str:
    """A value as people write it."""
    if kind == "date":
        return random.choice(
            (
                f"{value.day} {value:%B} {value.year}",
                f"{value:%B} {value.day}, {value.year}",
                f"{value:%A}, {value.day} {value:%B} {value.year}",
            )
        )
    if kind == "money":
        return random.choice((f"€{value / 100:,.2f}", f"{value / 100:,.2f} euros", f"EUR {value / 100:.2f}"))
    if kind == "count":
        return random.choice((_WORDS[value], str(value)))
    if kind == "duration":
        hours, minutes = divmod(value, 60)
        spelled = {60: "an hour", 90: "an hour and a half", 120: "two hours", 45: "three quarters of an hour"}.get(
            value
        )
        plain = " and ".join(
            part
            for part in (f"{hours} hour{'s' * (hours > 1)}" * bool(hours), f"{minutes} minutes" * bool(minutes))
            if part
        )
        return random.choice((spelled or plain, plain, f"{value} minutes"))
    return field.options[value] if kind == "choice" else str(value)


def shape(kind: str, field: Field, value, level: str, random: Random) -> Shape:
    """A schema for a kind and the value in that form; an easy task has the plainest forms."""
    forms = _FORMS[kind](field, value)
    schema, made = forms[0] if level == "easy" else random.choice(forms)
    return {"description": field.about + schema.pop("more", "")} | schema, made


def _object(**properties: Shape) -> Shape:
    schema = {name: each for name, (each, _) in properties.items()}
    return (
        {"type": "object", "properties": schema, "required": list(schema), "additionalProperties": False},
        {name: value for name, (_, value) in properties.items()},
    )


def _integer(value: int) -> Shape:
    return {"type": "integer"}, value


def _duration(value: int) -> str:
    hours, minutes = divmod(value, 60)
    return f"PT{f'{hours}H' if hours else ''}{f'{minutes}M' if minutes else ''}"


_FORMS = {
    "name": lambda _, value: [
        ({"type": "string"}, value),
        _object(first=({"type": "string"}, value.split()[0]), last=({"type": "string"}, value.split()[1])),
        (
            {"type": "string", "more": ", as LAST, FIRST in the usual case", "pattern": "^[^,]+, [^,]+$"},
            ", ".join(value.split()[::-1]),
        ),
    ],
    "date": lambda _, value: [
        ({"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$", "more": " (YYYY-MM-DD)"}, value.isoformat()),
        _object(year=_integer(value.year), month=_integer(value.month), day=_integer(value.day)),
        ({"type": "string", "pattern": "^[0-9]{2}/[0-9]{2}/[0-9]{4}$", "more": " (DD/MM/YYYY)"}, f"{value:%d/%m/%Y}"),
    ],
    "money": lambda _, value: [
        ({"type": "number", "more": ", in euros"}, value / 100),
        ({"type": "integer", "more": ", in cents"}, value),
        _object(amount=({"type": "number"}, value / 100), currency=({"enum": ["EUR", "USD", "GBP"]}, "EUR")),
    ],
    "count": lambda _, value: [_integer(value)],
    "duration": lambda _, value: [
        ({"type": "integer", "more": ", in minutes"}, value),
        (
            {
                "type": "string",
                "pattern": "^PT([0-9]+H)?([0-9]+M)?$",
                "more": " (ISO 8601, hours before minutes, such as PT2H5M; minutes below 60)",
            },
            _duration(value),
        ),
        _object(hours=_integer(value // 60), minutes=({"type": "integer", "maximum": 59}, value % 60)),
    ],
    "flag": lambda _, value: [({"type": "boolean"}, value), ({"enum": ["yes", "no"]}, "yes" if value else "no")],
    "choice": lambda field, value: [
        (
            {
                "enum": list(field.options),
                "more": ": " + ", ".join(f"{code} = {words}" for code, words in field.options.items()),
            },
            value,
        )
    ],
    "email": lambda _, value: [({"type": "string", "pattern": "^[^@ ]+@[^@ ]+$"}, value)],
    "phone": lambda _, value: [
        (
            {"type": "string", "pattern": "^[+][0-9]+$", "more": ", digits after a plus, without spaces"},
            value.replace(" ", ""),
        ),
    ],
}


def draw_items(domain: Domain, random: Random) -> tuple[list[tuple[str, int, int]], str]:
    """Two or three listed things with quantity and price in cents, and a sentence that lists them."""
    names = random.sample(domain.things, random.choice((2, 3)))
    rows = [(name, random.randrange(1, 7), random.randrange(200, 6000, 25)) for name in names]
    parts = [f"{count} × {name} at €{cents / 100:.2f} each" for name, count, cents in rows]
    return rows, domain.listed.said[0].format(", ".join(parts[:-1]) + " and " + parts[-1])


def shape_items(rows: list[tuple[str, int, int]], field: Field, random: Random) -> Shape:
    """An array of objects, in the order of the text."""
    as_cents = random.random() < 0.5
    price = (
        {"type": "integer", "description": "price of one, in cents"}
        if as_cents
        else {"type": "number", "description": "price of one, in euros"}
    )
    properties = {
        "name": {"type": "string", "description": "as in the text, singular"},
        "quantity": {"type": "integer"},
        "price": price,
    }
    item = {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    made = [
        {"name": name, "quantity": count, "price": cents if as_cents else cents / 100} for name, count, cents in rows
    ]
    return {
        "description": f"{field.about}, in the order of the text",
        "type": "array",
        "items": item,
        "minItems": 1,
    }, made
