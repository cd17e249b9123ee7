"""Cases of function calls. A call is right where running it does what running the expected one does.

``run`` carries every call out: what is left out has its default, and the outcome is a record of what was done. The
label is what the two records say, and each form says beforehand which label it must have.
"""

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

Call = dict[str, dict[str, Any]]
FUNCTIONS: list[dict[str, Any]] = [
    {
        "name": "book_table",
        "description": "Books a table in a restaurant.",
        "parameters": {
            "type": "dict",
            "properties": {
                "place": {"type": "string", "description": "The restaurant's name."},
                "guests": {"type": "integer", "description": "How many people."},
                "deposit": {"type": "float", "description": "Euros paid in advance."},
                "outside": {"type": "boolean", "description": "Whether outside. Default false."},
                "wishes": {"type": "array", "items": {"type": "string"}, "description": "In order of weight."},
            },
            "required": ["place", "guests", "deposit", "wishes"],
        },
    },
    {
        "name": "install",
        "description": "Installs a version of a package into a folder.",
        "parameters": {
            "type": "dict",
            "properties": {
                "version": {"type": "string", "description": "The exact version."},
                "folder": {"type": "string", "description": "The path, which tells capitals apart."},
                "limits": {"type": "array", "items": {"type": "float"}, "description": "Limits in seconds."},
            },
            "required": ["version", "folder", "limits"],
        },
    },
]
DEFAULTS = {"book_table": {"outside": False}, "install": {}}


def run(calls: list[Call]) -> list[str] | None:
    """What the calls do, in no order; None where one of them cannot be made."""
    done = []
    for call in calls:
        ((name, given),) = call.items()
        known = next((one["parameters"] for one in FUNCTIONS if one["name"] == name), None)
        if known is None or set(given) - set(known["properties"]) or set(known["required"]) - set(given):
            return None
        if not all(_fits(given[one], known["properties"][one]) for one in given):
            return None
        full = {**DEFAULTS[name], **given}
        done.append(json.dumps([name, {one: _plain(value) for one, value in full.items()}], sort_keys=True))
    return sorted(done)


def _fits(value: Any, wanted: dict[str, Any]) -> bool:
    kinds: dict[str, Any] = {"string": str, "integer": int, "float": (int, float), "boolean": bool, "array": list}
    is_kind = isinstance(value, kinds[wanted["type"]]) and (wanted["type"] == "boolean" or not isinstance(value, bool))
    return is_kind and all(_fits(one, wanted["items"]) for one in value) if wanted["type"] == "array" else is_kind


def _plain(value: Any) -> Any:
    """JSON has one kind of number: 3 and 3.0 are the same."""
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _table(calls: list[Call], **changed: Any) -> list[Call]:
    return [{"book_table": {**calls[0]["book_table"], **changed}}, *calls[1:]]


def _install(calls: list[Call], **changed: Any) -> list[Call]:
    return [calls[0], {"install": {**calls[1]["install"], **changed}}]


def _without(calls: list[Call], name: str) -> list[Call]:
    return [{"book_table": {one: value for one, value in calls[0]["book_table"].items() if one != name}}, *calls[1:]]


RIGHT: dict[str, Callable[[list[Call]], list[Call]]] = {
    "same": lambda calls: calls,
    "calls-turned": lambda calls: calls[::-1],
    "arguments-turned": lambda calls: [
        {name: dict(reversed(one.items()))} for call in calls for name, one in call.items()
    ],
    "default-given": lambda calls: _table(calls, outside=False),
    "whole-for-float": lambda calls: _table(calls, deposit=int(calls[0]["book_table"]["deposit"])),
    "whole-in-list": lambda calls: _install(calls, limits=[int(one) for one in calls[1]["install"]["limits"]]),
}
WRONG: dict[str, Callable[[list[Call]], list[Call]]] = {
    "other-number": lambda calls: _table(calls, guests=calls[0]["book_table"]["guests"] + 1),
    "other-name": lambda calls: _table(calls, place="Café Luna"),
    "default-turned": lambda calls: _table(calls, outside=True),
    "number-as-text": lambda calls: _table(calls, guests=str(calls[0]["book_table"]["guests"])),
    "truth-as-number": lambda calls: _table(calls, outside=0),
    "argument-missing": lambda calls: _without(calls, "guests"),
    "argument-added": lambda calls: _table(calls, note="soon"),
    "list-turned": lambda calls: _table(calls, wishes=calls[0]["book_table"]["wishes"][::-1]),
    "list-shorter": lambda calls: _table(calls, wishes=calls[0]["book_table"]["wishes"][:-1]),
    "list-as-text": lambda calls: _table(calls, wishes=", ".join(calls[0]["book_table"]["wishes"])),
    "call-missing": lambda calls: calls[:1],
    "call-twice": lambda calls: [*calls, calls[0]],
    "no-call": lambda _calls: [],
    "other-function": lambda calls: [{"cancel_table": calls[0]["book_table"]}, calls[1]],
    "version-point-moved": lambda calls: _install(calls, version=_moved(calls[1]["install"]["version"])),
    "folder-other-capitals": lambda calls: _install(calls, folder=calls[1]["install"]["folder"].lower()),
    "folder-without-slash": lambda calls: _install(calls, folder=calls[1]["install"]["folder"].replace("/", "_")),
    "other-limit": lambda calls: _install(calls, limits=[one + 1 for one in calls[1]["install"]["limits"]]),
}


def _moved(version: str) -> str:
    """``11.2`` for ``1.12``."""
    first, second = version.split(".")
    return f"{first}{second[0]}.{second[1:]}"


def cases(each: int = 8, seed: int = 5) -> Iterator[dict[str, Any]]:
    """``each`` cases of every form. ``info.possible`` is the answer as bfcl-eval wants it."""
    for label, forms in (("correct", RIGHT), ("incorrect", WRONG)):
        for form, change in forms.items():
            for number in range(each):
                expected = _expected(random.Random(f"calls/{seed}/{form}/{number}"))  # noqa: S311 -- reproducible
                given = change(expected)
                if (run(given) == run(expected)) is not (label == "correct"):
                    raise AssertionError(f"{form} does not do what its label says")
                yield {
                    "id": f"calls-{form}-{number}",
                    "task": {
                        "id": f"calls-{form}-{number}",
                        "prompt": _words(expected),
                        "answer": json.dumps(expected, ensure_ascii=False),
                        "info": {"functions": FUNCTIONS, "possible": _possible(expected)},
                    },
                    "response": json.dumps(given, ensure_ascii=False),
                    "label": label,
                    "tags": [form],
                    "cluster": f"form {form}",
                    "source": "made by rule, labelled by running the calls",
                    "licence": "Apache-2.0",
                }


def _expected(rng: random.Random) -> list[Call]:
    table = {
        "place": rng.choice(("Zum Anker", "Il Forno", "The Mill", "Chez Rosa")),
        "guests": rng.randrange(2, 9),
        "deposit": float(rng.randrange(10, 60)),
        "wishes": rng.sample(("window", "quiet", "high chair", "near the door"), 3),
    }
    folder = f"/opt/{rng.choice(('Tools', 'Apps', 'Lib'))}/{rng.choice(('New', 'Old'))}"
    limits = [float(one) for one in rng.sample(range(1, 30), 2)]
    version = f"{rng.randrange(1, 9)}.{rng.randrange(10, 99)}"
    return [{"book_table": table}, {"install": {"version": version, "folder": folder, "limits": limits}}]


def _possible(expected: list[Call]) -> list[dict[str, dict[str, list[Any]]]]:
    """Every value in a list of allowed ones; the empty text beside a default says that it may be left out."""
    found = [
        {name: {one: [value] for one, value in given.items()} for name, given in call.items()} for call in expected
    ]
    found[0]["book_table"]["outside"] = [False, ""]
    return found


def _words(expected: list[Call]) -> str:
    table, package = expected[0]["book_table"], expected[1]["install"]
    limits = " and ".join(f"{one:g}" for one in package["limits"])
    return (
        f"Book a table for {table['guests']} at {table['place']} with {table['deposit']:g} euros deposit; wishes in "
        f"order: {', '.join(table['wishes'])}. And install version {package['version']} into {package['folder']} with "
        f"the limits {limits} seconds. Answer with the calls as a JSON list."
    )
