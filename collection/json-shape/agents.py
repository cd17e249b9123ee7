"""Scripted agents, from a good one to cheats. ``python agents.py`` measures them and prints the README's table."""

# ruff: noqa: E501 -- long patterns

import datetime as dt
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
DATA = HERE / "src" / "lecture_json_shape"
sys.path.insert(0, str(HERE / "src"))

from lecture_json_shape import verify  # noqa: E402 -- the package lies beside
from lecture_json_shape.domains import DOMAINS, Field  # noqa: E402

Agent = Callable[[str], str]
WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
VALUE = r"((?:[^.!?:]|[.]\w)+?)"
"""Words of a sentence, dots inside of numbers and addresses included."""
KNOWN = {each.key: (each, domain) for domain in DOMAINS["test"] for each in domain.fields}


def read_prompt(prompt: str) -> tuple[str, dict]:
    """Text and schema."""
    text, _, rest = prompt.partition("Text:\n")[2].partition("\n\nSchema:\n")
    return text, json.loads(rest.partition("\n\nValues come")[0])


# -- an expert that knows the sentences of the test split ---------------------------------------------------------------


def find(field: Field, text: str) -> object:
    """What the text tells of a field, None where it does not tell."""
    if field.kind == "flag":
        return (
            True
            if any(form in text for form in field.said)
            else False
            if any(form in text for form in field.unless)
            else None
        )
    if field.kind == "choice":
        return next((code for code, words in field.options.items() if field.said[0].format(words) in text), None)
    for form in field.said:
        found = re.search(r"(?:^|(?<=[.!?:] ))" + re.escape(form).replace(r"\{\}", VALUE) + r"(?= [A-Z0-9€]|$)", text)
        if found:
            return parsed(field.kind, found[1])
    return None


def parsed(kind: str, words: str) -> object:
    """A value from the words of a text."""
    if kind == "date":
        month = next(number for number in range(1, 13) if f"{dt.date(2026, number, 1):%B}" in words)
        year, day = re.search(r"\d{4}", words)[0], re.search(r"\b\d{1,2}\b", words)[0]
        return dt.date(int(year), month, int(day))
    if kind == "money":
        return round(float(re.search(r"[\d,]+\.\d\d", words)[0].replace(",", "")) * 100)
    if kind == "count":
        return int(words) if words.isdigit() else WORDS.index(words.lower())
    if kind == "duration":
        if "quarters" in words.lower():
            return 45
        plain = words.lower().replace("an hour", "1 hour").replace("two", "2").replace("and a half", "30 minutes")
        return sum(
            int(number) * (60 if unit == "hour" else 1) for number, unit in re.findall(r"(\d+) (hour|minute)", plain)
        )
    return words


def shaped(kind: str, value: object, schema: dict) -> object:
    """A value in the form that the schema asks for."""
    if value is None:
        return None
    inner = next((each for each in schema.get("anyOf", []) if each.get("type") != "null"), schema)
    parts, about = list(inner.get("properties", {})), schema["description"]
    if kind == "name":
        first, last = value.split()
        return {"first": first, "last": last} if parts else f"{last}, {first}" if "LAST" in about else value
    if kind == "date":
        if parts:
            return {"year": value.year, "month": value.month, "day": value.day}
        return f"{value:%d/%m/%Y}" if "DD/MM" in about else value.isoformat()
    if kind == "money":
        return {"amount": value / 100, "currency": "EUR"} if parts else value if "cents" in about else value / 100
    if kind == "duration":
        hours, minutes = divmod(value, 60)
        iso = "PT" + f"{hours}H" * bool(hours) + f"{minutes}M" * bool(minutes)
        return {"hours": hours, "minutes": minutes} if parts else iso if "ISO" in about else value
    if kind == "flag":
        return value if inner.get("type") == "boolean" else "yes" if value else "no"
    return value.replace(" ", "") if kind == "phone" else value


def items(text: str, schema: dict) -> list[dict]:
    """The listed things."""
    as_cents = "cents" in schema["items"]["properties"]["price"]["description"]
    found = re.findall(r"(\d+) × ([\w ]+?) at €(\d+\.\d\d) each", text)
    prices = [round(float(price) * 100) if as_cents else float(price) for *_, price in found]
    return [
        {"name": name, "quantity": int(count), "price": price}
        for (count, name, _), price in zip(found, prices, strict=True)
    ]


def expert(prompt: str) -> str:
    """Reads the text by its sentences and fills the schema."""
    text, schema = read_prompt(prompt)
    made = {}
    for name, each in schema["properties"].items():
        field = KNOWN.get(name)
        made[name] = shaped(field[0].kind, find(field[0], text), each) if field else items(text, each)
    return json.dumps(made)


# -- others -----------------------------------------------------------------------------------------------------------


def filled(schema: dict, *, null: bool = False, texts: list[str] | None = None, number: float = 1) -> object:
    """Something that fits a schema and says nothing."""
    if "anyOf" in schema:
        return None if null else filled(schema["anyOf"][0], null=null, texts=texts, number=number)
    if "enum" in schema:
        return schema["enum"][0]
    if schema["type"] == "object":
        return {
            name: filled(each, null=null, texts=texts, number=number) for name, each in schema["properties"].items()
        }
    if schema["type"] == "array":
        return [filled(schema["items"], null=null, texts=texts, number=number)]
    pattern = schema.get("pattern", "").replace("$", r"\Z")
    known = ["2026-06-15", "15/06/2026", "PT1H", "Lange, Rita", "+49301234567", "rita.lange@mail.example", "Rita Lange"]
    text = next((each for each in [*(texts or []), *known] if re.search(pattern, each)), "")
    return {"string": text, "boolean": True}.get(schema["type"], number)


def dummy(prompt: str) -> str:
    """The best constant: the schema filled with the same values for all tasks."""
    return json.dumps(filled(read_prompt(prompt)[1]))


def null_dummy(prompt: str) -> str:
    """As the constant, with null wherever the schema allows it."""
    return json.dumps(filled(read_prompt(prompt)[1], null=True))


def copies_words(prompt: str) -> str:
    """Lazy: the right shape, with the first words and numbers of the text that fit."""
    text, schema = read_prompt(prompt)
    numbers = [float(each) for each in re.findall(r"\b\d+(?:\.\d\d)?\b", text)]
    texts = [*re.findall(r"[\w.]+@[\w.]+\w", text), *re.findall(r"[A-Z]\w+ [A-Z]\w+", text)]
    return json.dumps(filled(schema, null=True, texts=texts, number=int((numbers or [1])[0])))


def first_form(prompt: str) -> str:
    """Reads well, but gives every value in its plainest form, whatever the schema asks."""
    text, schema = read_prompt(prompt)
    plain = {"description": "", "items": {"properties": {"price": {"description": ""}}}}
    made = {
        name: shaped(KNOWN[name][0].kind, find(KNOWN[name][0], text), plain) if name in KNOWN else items(text, plain)
        for name in schema["properties"]
    }
    return json.dumps(made)


def stale(prompt: str) -> str:
    """The expert, but takes the last value of a kind that the text names."""
    text, schema = read_prompt(prompt)
    for name in schema["properties"]:
        form = KNOWN[name][0].stale if name in KNOWN else ""
        found = re.search(re.escape(form).replace(r"\{\}", VALUE) + r"(?= [A-Z0-9€]|$)", text) if form else None
        if found:
            text = re.sub(
                "|".join(re.escape(each).replace(r"\{\}", ".+?") for each in KNOWN[name][0].said),
                KNOWN[name][0].said[0].format(found[1]),
                text,
            )
    return expert(prompt.replace(read_prompt(prompt)[0], text))


def schema_back(prompt: str) -> str:
    """The schema."""
    return json.dumps(read_prompt(prompt)[1])


def prose(prompt: str) -> str:
    """The text."""
    return read_prompt(prompt)[0]


def empty_object(prompt: str) -> str:
    """An object without anything."""
    return "{}"


def nothing(prompt: str) -> str:
    """Says nothing."""
    return ""


AGENTS: dict[str, Agent] = {
    "scripted expert": expert,
    "the expert, but in the plainest forms": first_form,
    "the expert, but takes what no longer holds": stale,
    "lazy: first words and numbers that fit": copies_words,
    "constant values in the right shape": dummy,
    "the same, null where it may be": null_dummy,
    "the schema": schema_back,
    "the text": prose,
    "`{}`": empty_object,
    "says nothing": nothing,
}


def measure(agent: Agent, tasks: list[dict]) -> dict[str, float]:
    """Mean reward of 1.5 (gates applied), how often all is right, the share of values, and how often it fits."""
    found = [verify(task, agent(task["prompt"])) for task in tasks]
    mean = {name: sum(each[name] for each in found) / len(found) for name in found[0]}
    return mean | {"earns": mean["faithful"] + 0.5 * mean["fields"]}  # both are 0 where a gate is


def table(tasks: list[dict]) -> str:
    """The README's table."""
    rows = ["| agent | valid | faithful | fields | earns, of 1.5 |", "|---|---|---|---|---|"]
    for name, agent in AGENTS.items():
        got = measure(agent, tasks)
        shares = " | ".join(f"{100 * got[each]:.0f} %" for each in ("valid", "faithful", "fields"))
        rows.append(f"| {name} | {shares} | {got['earns']:.2f} |")
    return "\n".join(rows)


def test_tasks() -> list[dict]:
    """The rows of the test split."""
    with (DATA / "test.jsonl").open() as lines:
        return [json.loads(line) for line in lines]


if __name__ == "__main__":
    print(table(test_tasks()))
