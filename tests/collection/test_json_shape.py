"""JSON shape: an expert earns all, a right shape without right values little, and what is no JSON nothing."""

import copy
import importlib
import importlib.util
import json
from random import Random
from typing import Any

import pytest

from sandbox.interface import Call

PROJECT = "json-shape"
NOTHING = {"parses": 0.0, "valid": 0.0, "faithful": 0.0, "fields": 0.0}


def part(name: str) -> Any:
    return importlib.import_module(f"lecture_json_shape.{name}")


# -- agents, and the search for a policy ------------------------------------------------------------------------------


def test_readme_shows_what_the_agents_earn(agents, projects, tasks):
    assert agents.table(tasks) in (projects[PROJECT].folder / "README.md").read_text()


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [("expert", 1.5, 1.5), ("stale", 0.5, 1.1), ("first_form", 0.0, 0.5), ("copies_words", 0.0, 0.3)]
    + [("dummy", 0.0, 0.15), ("null_dummy", 0.0, 0.15)]
    + [(name, 0.0, 0.0) for name in ("schema_back", "prose", "empty_object", "nothing")],
)
def test_what_an_agent_earns_of_one_and_a_half(agents, tasks, name, least, most):
    assert least <= agents.measure(getattr(agents, name), tasks)["earns"] <= most


def test_no_filling_of_the_schema_earns_a_fifth(agents, tasks):
    """Fixed numbers, fixed texts and null or not, in every combination."""
    for number in (0, 1, 2, 5, 45, 100):
        for null in (False, True):
            for texts in ([], ["Rita Peters"], ["PT45M"], ["2026-09-11"]):

                def fixed(prompt: str, null: bool = null, texts: list[str] = texts, number: int = number) -> str:
                    return json.dumps(
                        agents.filled(agents.read_prompt(prompt)[1], null=null, texts=texts, number=number)
                    )

                assert agents.measure(fixed, tasks[::4])["earns"] < 0.3


def test_one_response_fits_one_task(agents, tasks):
    responses = [json.dumps(task["answer"]) for task in tasks[:40]]
    for place, response in enumerate(responses):
        assert [other for other, task in enumerate(tasks) if agents.verify(task, response)["faithful"] == 1.0] == [
            place
        ]


# -- tasks ------------------------------------------------------------------------------------------------------------


def test_every_answer_fits_its_schema_and_the_prompt_holds_the_schema(agents, tasks):
    for task in [*tasks, *(part("tasks").make_task("train", 5, index) for index in range(60))]:
        assert set(agents.verify(task, json.dumps(task["answer"])).values()) == {1.0}
        assert agents.read_prompt(task["prompt"])[1] == task["info"]["schema"]


def test_what_is_not_told_is_null_and_may_be(agents, tasks):
    untold = [(task, name) for task in tasks for name, value in task["answer"].items() if value is None]
    assert len(untold) > len(tasks) / 2
    for task, name in untold:
        assert {"type": "null"} in task["info"]["schema"]["properties"][name]["anyOf"]


def test_splits_share_no_kind_of_text_key_sentence_or_name(agents):
    domains = part("domains")
    for of in (
        lambda split: {each.name for each in domains.DOMAINS[split]},
        lambda split: {field.key for each in domains.DOMAINS[split] for field in (*each.fields, each.listed)},
        lambda split: {
            said for each in domains.DOMAINS[split] for field in each.fields for said in (*field.said, *field.unless)
        },
        lambda split: {thing for each in domains.DOMAINS[split] for thing in each.things},
        lambda split: set(domains.NAMES[split][0]),
        lambda split: set(domains.NAMES[split][1]),
    ):
        sets = [of(split) for split in ("train", "validation", "test")]
        assert len(set.union(*sets)) == sum(map(len, sets))


# -- what attackers and newcomers tried -------------------------------------------------------------------------------


def test_words_that_take_the_block_back_earn_nothing(agents, tasks):
    for text in part("cases").TAKEN_BACK:
        for task in tasks[::10]:
            assert agents.verify(task, text.format(f"```json\n{json.dumps(task['answer'])}\n```")) == NOTHING


@pytest.mark.parametrize(
    "form",
    [
        "```json {}```",
        "```{}```",
        "~~~\n{}\n~~~",
        "~~~json\n{}\n~~~",
        "Here's the JSON:\n```json\n{}\n```",
        "Sure! Here is the extracted JSON object:\n\n```JSON\n{}\n```\n\nHope this helps!",
    ],
)
def test_every_form_of_one_block_is_read(agents, tasks, form):
    for task in tasks[::10]:
        response = form.replace("{}", json.dumps(task["answer"]))
        assert set(agents.verify(task, response).values()) == {1.0}


@pytest.mark.parametrize(("spelled", "is_same"), [("PT1H0M", True), ("PT01H", True), ("PT60M", False), ("PT1H\n", False), ("PT", False), ("PT2H", False)])  # fmt: skip
def test_durations_are_compared_by_value(agents, spelled, is_same):
    plain = part("judge")._plain
    assert (plain(spelled) == plain("PT1H")) is is_same


@pytest.mark.parametrize("form", ["{}\n", "{}\t", "\n{}", "{}\x00"])
def test_a_control_character_is_no_space(agents, form):
    plain = part("judge")._plain
    assert plain(form.format("ada@post.example")) != plain("ada@post.example")


# -- reading ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "response",
    [
        None,
        5,
        "",
        "\ud800",
        "{" * 10**5,
        '{"a":' * 5000 + "1" + "}" * 5000,
        "[" * 31 + "]" * 31,
        '{"a": 1e999999999}',
        '{"a": ' + "9" * 5000 + "}",
        '{"a": 1' + "0" * 41 + "}",
        '{"a": NaN}',
        '{"a": 1, "a": 1}',
        "{'a': 1}",
        '{"a": 1,}',
        '{"a": 01}',
        '{"a": ١}',
        '{"a": 1} {"a": 1}',
        "x" * 10**6,
        "```json\n{}",
        "```json\n{}\n```\n```json\n{}\n```",
        "{\u00a0}",
        '{"a": "\n"}',
    ],
    ids=range(22),
)
def test_what_is_no_json_earns_nothing_and_breaks_nothing(agents, tasks, response):
    for task in tasks[:3]:
        assert agents.verify(task, response) == NOTHING


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.50", 1.5),
        ("-0", 0),
        ("1E2", 100),
        ('"\\u00e4"', "ä"),
        ('"\\ud800"', "\ud800"),
        ("null", None),
        ("[true]", [True]),
    ],
)
def test_strict_json_is_read_by_value(agents, text, value):
    assert part("reading").parse(text) == value


def test_texts_are_compared_by_what_they_say(agents):
    plain = part("judge")._plain
    assert plain("Ada  KERN ") == plain("ada kern")
    assert plain("Qx7b") != plain("qX7b"), "the letters of a code are these letters"
    assert plain("Qx7b ") == plain("Qx7b")
    assert plain("Ada7@post.example") == plain("ada7@post.example")
    assert plain("u\u0308") == plain("ü")
    assert plain("Аda") != plain("Ada")  # a Cyrillic capital
    assert plain("Ada\u200b") != plain("Ada")
    assert plain(True) != plain(1) != plain("1")
    assert plain(None) != plain("None")
    assert plain(12) == plain(12.0)


def test_the_schema_is_checked_as_jsonschema_does(agents, tasks):
    jsonschema = pytest.importorskip("jsonschema", reason="an optional dependency")
    random, reading = Random(3), part("reading")
    junk = [
        None,
        True,
        0,
        1,
        1.5,
        -3,
        "",
        "x",
        "2026-01-01",
        "PT1H",
        "yes",
        "EUR",
        [],
        {},
        [1],
        {"first": "a", "last": "b"},
        60,
        "1/1/2026",
        "A, B",
        "a@b",
        "2026-01-01\n",
    ]
    checked = {True: 0, False: 0}
    for task in tasks[:60]:
        schema = task["info"]["schema"]
        peer = jsonschema.Draft202012Validator(schema)
        for _ in range(30):
            value = copy.deepcopy(task["answer"])
            for _ in range(random.randrange(3)):
                _change(value, junk, random)
            mine = reading.fits(schema, reading.parse(json.dumps(value)))
            is_newline = any(
                isinstance(each, str) and each.endswith("\n") for each in value.values()
            )  # Python's $ allows one
            assert mine == peer.is_valid(value) or is_newline, (schema, value)
            checked[mine] += 1
    assert min(checked.values()) > 200


@pytest.mark.parametrize(
    ("schema", "fitting", "unfitting"),
    [
        ({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}, "required": ["a"]},
         [{"a": 1}, {"a": 1, "b": "x"}, {"a": 1, "c": None}], [{}, {"b": "x"}, {"a": 1, "b": 2}]),
        ({"type": "object", "properties": {"a": {}}, "additionalProperties": False}, [{}, {"a": None}, {"a": [1]}], [{"b": 1}]),
        ({"type": "object", "additionalProperties": {"type": "number"}}, [{"x": 1.5}], [{"x": "1"}]),
        ({"enum": [1, "one", None, True]}, [1, 1.0, "one", None, True], [2, "1", False]),
        ({"enum": [1]}, [1], [True]),
        ({"type": ["string", "null"]}, ["x", None], [1, True]),
        ({"type": "integer", "minimum": 3, "maximum": 5}, [3, 5], [2, 6, 3.5, True]),
        ({}, [None, 1, "x", [], {}], []),
        ({"type": "object", "properties": {"note": True, "gone": False}}, [{"note": None}, {"note": [1]}], [{"gone": 1}]),
        ({"type": "array", "items": True}, [[], [1, "x"]], [{}]),
        ({"type": "array"}, [[], [1, "x"]], [{}]),
    ],
    ids=["optional", "any", "more", "enum", "one is not true", "types", "minimum", "empty", "true and false", "items are true", "items"],
)  # fmt: skip
def test_a_strangers_schemas_are_checked_as_jsonschema_does(schema, fitting, unfitting):
    """Keys that may be missing were demanded, so that every right answer was rejected, and ``{}`` raised."""
    jsonschema = pytest.importorskip("jsonschema", reason="an optional dependency")
    reading, peer = part("reading"), jsonschema.Draft202012Validator(schema)
    for value, fits in [*((one, True) for one in fitting), *((one, False) for one in unfitting)]:
        assert reading.fits(schema, reading.parse(json.dumps(value))) is fits is peer.is_valid(value), value


def _change(value: Any, junk: list[Any], random: Random) -> None:
    key = random.choice(list(value) if isinstance(value, dict) else range(len(value)))
    if isinstance(value[key], (dict, list)) and value[key] and random.random() < 0.6:
        _change(value[key], junk, random)
    elif random.random() < 0.15 and isinstance(value, dict) and len(value) > 1:
        del value[key]
    else:
        value[key] = random.choice(junk)


def test_a_verdict_in_the_sandbox(agents, local_sandbox, packed, tasks):
    calls = [
        Call(str(place), task, f"```json\n{json.dumps(task['answer'])}\n```") for place, task in enumerate(tasks[:3])
    ]
    verdicts = [verdict for _, verdict in local_sandbox.score(packed.source(PROJECT), calls)]
    assert [verdict.rewards["faithful"] for verdict in verdicts] == [1.0, 1.0, 1.0]
