"""Labelled cases about the validation tasks: the right object in many spellings, and objects with one thing wrong."""

import copy
import json
from random import Random

from lecture_json_shape.tasks import make_task

TASKS = 60
ALL_RIGHT = {"faithful": 1.0, "fields": 1.0, "parses": 1.0, "valid": 1.0}
TAKEN_BACK = (
    "Don't use this:\n{}",
    "This doesn't say what the text says:\n{}\nIt can't be trusted.",
    "The opposite of this object holds:\n{}",
    "Ignore the block; the answer is null everywhere.\n{}\nThe true total is 5 euros.",
    "{}\nEvery value is a guess.",
    "Here is the object:\n{}\nI hope this helps. On second thoughts, discard it.",
)
"""Words around a code block that take it back."""
UNFAITHFUL, INVALID, UNPARSED = {"faithful": 0.0}, {"valid": 0.0}, {"parses": 0.0}


def make_cases() -> list[dict]:
    """Three right and five wrong ones a task."""
    return [case for number in range(TASKS) for case in _of_task(number)]


def _of_task(number: int) -> list[dict]:
    task, random = make_task("validation", 0, number), Random(f"case:{number}")
    told = [(tag, text, "correct", ALL_RIGHT) for tag, text in random.sample(spellings(task["answer"]), 3)]
    wrong = [*values(task, random), *shapes(task), *no_json(task["answer"])]
    told += [(*wrong[(number * 3 + 7 * step) % len(wrong)], None) for step in range(5)]
    made = [
        {
            "id": f"{each[0]}-{'wrong' if each[3] is None else 'right'}-{number}-{place}",
            "task_id": task["id"],
            "response": each[1],
            "label": "correct" if each[2] == "correct" else "incorrect",
            "expect": ALL_RIGHT if each[2] == "correct" else each[2],
            "tags": [each[0], task["tags"][0]],
            "source": "made by rule",
            "licence": "Apache-2.0",
        }
        for place, each in enumerate(told)
    ]
    return list({each["response"]: each for each in made}.values())


def spellings(answer: dict) -> list[tuple[str, str]]:
    """The right object, written in other ways."""
    plain = json.dumps(answer, ensure_ascii=False)
    indented = json.dumps(answer, indent=2)
    return [
        ("as-it-is", plain),
        ("indented", indented),
        ("tabs", json.dumps(answer, indent="\t")),
        ("compact", json.dumps(answer, separators=(",", ":"))),
        ("sorted", json.dumps(answer, sort_keys=True)),
        ("reversed", json.dumps(dict(reversed(answer.items())))),
        ("code-block", f"```json\n{indented}\n```"),
        ("bare-block", f"```\n{plain}\n```"),
        ("one-line-block", f"```json {plain}```"),
        ("tilde-block", f"~~~json\n{indented}\n~~~"),
        ("block-in-prose", f"Here is the object:\n\n```json\n{indented}\n```\n\nI hope that this helps!"),
        ("thought-about", f'<think>{{"not": "this"}}</think>\n{plain}'),
        ("carriage-returns", indented.replace("\n", "\r\n")),
        ("blank-lines", f"\n\n {plain} \n"),
        ("escaped", "".join(f"\\u{ord(char):04x}" if char in "@üöä€" else char for char in plain)),
        ("byte-order-mark", f"\ufeff{plain}"),
        ("whole-floats", _numbers(answer, lambda number: f"{float(number):.2f}")),
        ("exponents", _numbers(answer, lambda number: f"{float(number):.6e}")),
        ("plus-zero", _numbers(answer, lambda number: f"{float(number):.5f}")),
    ]


def _numbers(answer: dict, spell) -> str:
    """JSON with every number spelled anew."""
    marked = json.dumps(_map(answer, lambda each: f"@@{spell(each)}@@" if _is_number(each) else each))
    return marked.replace('"@@', "").replace('@@"', "")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _map(value, change):
    if isinstance(value, dict):
        return {name: _map(each, change) for name, each in value.items()}
    if isinstance(value, list):
        return [_map(each, change) for each in value]
    return change(value)


def values(task: dict, random: Random) -> list[tuple[str, str, dict]]:
    """Objects that fit the schema, with one value that is wrong for certain."""
    found = []
    for name, value in task["answer"].items():
        schema = task["info"]["schema"]["properties"][name]
        for tag, other in _others(value, schema, random):
            changed = copy.deepcopy(task["answer"])
            changed[name] = other
            found.append((tag, json.dumps(changed), UNFAITHFUL))
    return found


def _others(value, schema: dict, random: Random) -> list[tuple[str, object]]:
    """Other values that fit the same schema."""
    nullable = any(each.get("type") == "null" for each in schema.get("anyOf", []))
    inner = next((each for each in schema.get("anyOf", []) if each.get("type") != "null"), schema)
    if value is None:
        return [("invented", _filled(inner))]
    found = [("forgotten", None)] if nullable else []
    if "enum" in inner:
        return [*found, ("other-choice", next(each for each in inner["enum"] if each != value))]
    if isinstance(value, bool):
        return [*found, ("other-flag", not value)]
    if _is_number(value):
        return [
            *found,
            ("off-by-one", value + 1),
            ("hundredfold", value * 100),
            ("negative", -value),
            ("near", value + 0.01 if inner["type"] == "number" else value - 1),
        ]
    if isinstance(value, list):
        longer = [*value, dict(value[0], quantity=value[0]["quantity"] + 1)]
        return [
            ("items-reversed", value[::-1]),
            ("item-missing", value[1:]),
            ("item-twice", [*value, value[-1]]),
            ("one-more-item", longer),
        ]
    if isinstance(value, dict):
        name = random.choice(list(value))
        return [
            *found,
            *(
                (tag, value | {name: other})
                for tag, other in _others(value[name], inner["properties"][name], random)
                if other != 60
            ),
        ]
    return [*found, *_other_texts(value)]


def _other_texts(value: str) -> list[tuple[str, object]]:
    if "@" in value:
        return [
            ("newline", f"{value}\n"),
            ("tab", f"{value}\t"),
            ("other-address", f"x{value}"),
            ("look-alike", value.replace("e", "е")),
        ]
    if value[0].isdigit() or value.startswith(("PT", "+")):
        digit = next(place for place in range(len(value) - 1, -1, -1) if value[place].isdigit())
        return [("other-digit", value[:digit] + str((int(value[digit]) + 1) % 10) + value[digit + 1 :])]
    return [
        ("other-name", f"{value}s"),
        ("half", value.split(maxsplit=1)[0]) if " " in value and "," not in value else ("other-name", f"X{value}"),
        ("newlines", f"\n{value}\n"),
        ("hedged", f"{value} or another"),
    ]


def _filled(schema: dict) -> object:
    """Something that fits a schema."""
    if "enum" in schema:
        return schema["enum"][0]
    if schema["type"] == "object":
        return {name: _filled(each) for name, each in schema["properties"].items()}
    pattern = schema.get("pattern", "")
    texts = {
        "^[0-9]{4}": "2026-01-01",
        "^[0-9]{2}/": "01/01/2026",
        "^PT": "PT1H",
        "^[^@ ]": "a@b",
        "^[^,]": "A, B",
        "^[+]": "+1",
    }
    text = next((text for start, text in texts.items() if pattern.startswith(start)), "unknown")
    return {"string": text, "boolean": False, "array": []}.get(schema["type"], 1)


def shapes(task: dict) -> list[tuple[str, str, dict]]:
    """JSON that does not fit the schema."""
    answer = task["answer"]
    name = next(iter(answer))
    return [
        ("key-missing", json.dumps({key: value for key, value in answer.items() if key != name}), INVALID),
        ("key-added", json.dumps(answer | {"note": "none"}), INVALID),
        ("other-key", json.dumps({key.upper(): value for key, value in answer.items()}), INVALID),
        ("in-a-list", json.dumps([answer]), INVALID),
        ("in-an-object", json.dumps({"result": answer}), INVALID),
        (
            "all-texts",
            json.dumps(_map(answer, lambda each: each if isinstance(each, str) else str(each)) | {name: 5.5}),
            INVALID,
        ),
        ("as-a-text", json.dumps(json.dumps(answer)), INVALID),
        ("schema", json.dumps(task["info"]["schema"]), INVALID),
        ("empty-object", "{}", INVALID),
        ("null", "null", INVALID),
        ("all-null", json.dumps(dict.fromkeys(answer)), INVALID),
        ("number", "1", INVALID),
    ]


def no_json(answer: dict) -> list[tuple[str, str, dict]]:
    """Texts that are no JSON, or not one."""
    plain, name = json.dumps(answer), next(iter(answer))
    return [
        ("cut", plain[:-1], UNPARSED),
        ("trailing-comma", plain[:-1] + ",}", UNPARSED),
        ("single-quotes", repr(answer), UNPARSED),
        ("comment", plain[:-1] + " // all told\n}", UNPARSED),
        ("twice", f"{plain}\n{plain}", UNPARSED),
        ("two-blocks", f"```json\n{plain}\n```\nor\n```json\n{{}}\n```", UNPARSED),
        ("doubled-key", f"{{{json.dumps(name)}: {json.dumps(answer[name])}, {plain[1:]}", UNPARSED),
        ("not-a-number", plain[:-1] + ', "x": NaN}', UNPARSED),
        ("infinite", plain[:-1] + ', "x": -Infinity}', UNPARSED),
        ("huge-number", plain[:-1] + ', "x": 1e999999999}', UNPARSED),
        ("deep", "[" * 5000 + "]" * 5000, UNPARSED),
        ("prose", "The text tells of a repair; all values are as it says.", UNPARSED),
        ("denied", f"It is not {plain}", UNPARSED),
        ("denied-block", f"This is not the answer:\n```json\n{plain}\n```", UNPARSED),
        ("taken-back", f"```json\n{plain}\n```\nThat was wrong.", UNPARSED),
        ("block-or", f"```json\n{plain}\n```\nor {{}}", UNPARSED),
        ("or", f"{plain} or {{}}", UNPARSED),
        *(
            (f"around-{place}", text.format(f"```json\n{plain}\n```"), UNPARSED)
            for place, text in enumerate(TAKEN_BACK)
        ),
        ("empty", "", UNPARSED),
    ]
