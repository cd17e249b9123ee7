"""Cases of JSON records. The rule is equality of JSON values: objects without order, arrays with it."""

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

NAMES = ("Mira Holt", "Jonas Brandt", "Petra Keller", "Émile Lind", "Nadia Moreno")
TOWNS = ("Porto", "Gdańsk", "Leeds", "Turin", "Bergen")
ITEMS = ("rope", "lamp", "tent", "stove", "map", "flask")
Record = dict[str, Any]


def _turned(record: Record) -> Record:
    return dict(reversed(record.items()))


def _indented(record: Record) -> str:
    return json.dumps(record, indent=2, ensure_ascii=False)


RIGHT: dict[str, Callable[[Record], str]] = {
    "same": lambda one: json.dumps(one, ensure_ascii=False),
    "indented": _indented,
    "no-spaces": lambda one: json.dumps(one, separators=(",", ":"), ensure_ascii=False),
    "keys-turned": lambda one: json.dumps(_turned(one), ensure_ascii=False),
    "keys-turned-inside": lambda one: json.dumps({**one, "place": _turned(one["place"])}, ensure_ascii=False),
    "escaped": lambda one: json.dumps(one, ensure_ascii=True),
    "spaces-around": lambda one: f"\n  {json.dumps(one, ensure_ascii=False)}\n",
    "fenced": lambda one: f"```json\n{_indented(one)}\n```",
    "in-words": lambda one: f"Here is the record:\n{json.dumps(one, ensure_ascii=False)}",
}
WRONG: dict[str, Callable[[Record], str]] = {
    "other-number": lambda one: json.dumps({**one, "count": one["count"] + 1}),
    "other-text": lambda one: json.dumps({**one, "name": "Tomas Weber"}),
    "other-inside": lambda one: json.dumps({**one, "place": {**one["place"], "zone": one["place"]["zone"] + 10}}),
    "number-as-text": lambda one: json.dumps({**one, "count": str(one["count"])}),
    "truth-as-number": lambda one: json.dumps({**one, "paid": int(one["paid"])}),
    "truth-turned": lambda one: json.dumps({**one, "paid": not one["paid"]}),
    "key-missing": lambda one: json.dumps({name: value for name, value in one.items() if name != "count"}),
    "key-added": lambda one: json.dumps({**one, "note": "checked"}),
    "null-for-value": lambda one: json.dumps({**one, "name": None}),
    "list-turned": lambda one: json.dumps({**one, "items": one["items"][::-1]}),
    "list-shorter": lambda one: json.dumps({**one, "items": one["items"][:-1]}),
    "list-longer": lambda one: json.dumps({**one, "items": [*one["items"], one["items"][0]]}),
    "in-a-list": lambda one: json.dumps([one]),
    "cut-off": lambda one: json.dumps(one)[:-4],
    "empty-object": lambda _one: "{}",
    "no-text": lambda _one: "",
    "words": lambda one: f"The customer is {one['name']} with {one['count']} items.",
}


def cases(each: int = 8, seed: int = 11) -> Iterator[dict[str, Any]]:
    """``each`` cases of every form. The task's answer is the record as JSON text; ``info.record`` is the record."""
    for label, forms in (("correct", RIGHT), ("incorrect", WRONG)):
        for form, write in forms.items():
            for number in range(each):
                record = _record(random.Random(f"json/{seed}/{form}/{number}"))  # noqa: S311 -- reproducible cases
                yield {
                    "id": f"json-{form}-{number}",
                    "task": {
                        "id": f"json-{form}-{number}",
                        "prompt": _words(record),
                        "answer": json.dumps(record, ensure_ascii=False),
                        "info": {"record": record},
                    },
                    "response": write(record),
                    "label": label,
                    "tags": [form],
                    "cluster": f"form {form}",
                    "source": "made by rule",
                    "licence": "Apache-2.0",
                }


def _record(rng: random.Random) -> Record:
    items = rng.sample(ITEMS, 3)
    place = {"town": rng.choice(TOWNS), "zone": rng.randrange(1, 9)}
    return {
        "name": rng.choice(NAMES),
        "count": rng.randrange(2, 99),
        "paid": rng.random() < 0.5,
        "items": items,
        "place": place,
    }


def _words(record: Record) -> str:
    paid = "has paid" if record["paid"] else "has not paid"
    return (
        f"{record['name']} of {record['place']['town']}, zone {record['place']['zone']}, ordered "
        f"{', '.join(record['items'])} ({record['count']} pieces) and {paid}. Write the record as JSON with name, "
        "count, paid (true or false), items in order, and place (town, zone)."
    )
