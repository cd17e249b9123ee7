"""Tasks: a text, a schema, and the one object that fits the schema and says what the text says."""

# ruff: noqa: E501 -- the prompt

import json
from random import Random

from lecture_json_shape.domains import DOMAINS
from lecture_json_shape.shapes import draw, draw_items, in_words, said, shape, shape_items

LEVELS = ("easy", "medium", "hard")
FIELDS, UNTOLD, STALE = (
    {"easy": 4, "medium": 6, "hard": 7},
    {"easy": 0, "medium": 1, "hard": 2},
    {"easy": 0, "medium": 1, "hard": 2},
)
"""By level: how many fields, how many of them the text does not tell, and how many sentences tell what no longer holds."""
ASK = """\
Read the text and answer with one JSON object that fits the schema and says what the text says.

Text:
{text}

Schema:
{schema}

Values come from the text alone. Where the schema allows null and the text does not tell, use null. Answer with the JSON alone, or in one code block, without other words."""


def make_task(split: str, seed: int, index: int) -> dict:
    """Task ``index`` of ``split``: the same for the same arguments."""
    random = Random(f"json:{split}:{seed}:{index}")
    level = LEVELS[index % 3]
    domain = random.choice(DOMAINS[split])
    fields = random.sample(domain.fields, FIELDS[level])
    kept = [each for each in fields if each.kind != "flag"]
    untold = random.sample(kept, UNTOLD[level])
    properties, gold, told = {}, {}, []
    for field in fields:
        value = draw(field.kind, field, split, random)
        schema, made = shape(field.kind, field, value, level, random)
        if field in untold or (level != "easy" and random.random() < 0.2 and field.kind != "flag"):
            schema = {"description": schema.pop("description"), "anyOf": [schema, {"type": "null"}]}
        properties[field.key], gold[field.key] = schema, None if field in untold else made
        if field not in untold:
            told.append(said(field.kind, field, value, random))
    stale = [field for field in fields if field.stale and field not in untold]
    for field in random.sample(stale, min(STALE[level], len(stale))):
        other = draw(field.kind, field, split, random)
        told.append(field.stale.format(in_words(field.kind, field, other, random)))
    if level == "hard":
        rows, sentence = draw_items(domain, random)
        properties[domain.listed.key], gold[domain.listed.key] = shape_items(rows, domain.listed, random)
        told.append(sentence)
    random.shuffle(told)
    names = list(properties)
    random.shuffle(names)
    schema = {
        "type": "object",
        "properties": {name: properties[name] for name in names},
        "required": names,
        "additionalProperties": False,
    }
    text = " ".join([random.choice(domain.opening), *told])
    return {
        "id": f"{level}-{split}-{seed}-{index}",
        "prompt": ASK.format(text=text, schema=json.dumps(schema, ensure_ascii=False)),
        "answer": {name: gold[name] for name in names},
        "info": {"schema": schema},
        "tags": [level, domain.name],
        "split": split,
    }
