"""Arguments are made by rule from a tool's JSON schema, and a schema for which there is no rule says why."""

import pytest

from hub_client.execution.example_arguments import NoExampleError, example_arguments

jsonschema = pytest.importorskip("jsonschema", reason="an optional dependency")


def arguments(**properties):
    return {"type": "object", "properties": properties, "required": list(properties)}


_ITEM = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string"},
        {"type": "string", "minLength": 30, "maxLength": 31},
        {"type": "string", "maxLength": 3},
        {"type": "integer"},
        {"type": "integer", "minimum": 7, "maximum": 9},
        {"type": "integer", "maximum": -3},
        {"type": "integer", "exclusiveMinimum": 5, "multipleOf": 4},
        {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 0.5},
        {"type": "boolean"},
        {"type": "null"},
        {"type": ["null", "string"]},
        {"enum": ["north", "south"]},
        {"const": 4},
        {"type": "integer", "default": 12},
        {"anyOf": [{"type": "string", "pattern": "^x"}, {"type": "integer"}]},
        {"oneOf": [{"type": "integer"}, {"type": "string"}]},
        {"allOf": [_ITEM, arguments(size={"type": "integer"})]},
        {"type": "array", "items": {"type": "integer"}, "minItems": 3},
        {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "minItems": 2},
        {"type": "array", "items": {"enum": ["a", "b", "c"]}, "minItems": 2, "uniqueItems": True},
        {"type": "array", "maxItems": 0},
        _ITEM,
        {},
        True,
    ],
)
def test_what_is_made_is_what_the_schema_allows(schema):
    whole = arguments(given=schema)
    made = example_arguments(whole)
    assert set(made) == {"given"}
    jsonschema.validate(made, whole)


def test_a_reference_is_followed():
    schema = {"$defs": {"item": _ITEM}, **arguments(given={"$ref": "#/$defs/item"})}
    assert example_arguments(schema) == {"given": {"name": "example"}}
    jsonschema.validate(example_arguments(schema), schema)


def test_what_is_optional_is_left_out():
    assert example_arguments({"type": "object", "properties": {"city": {"type": "string"}}}) == {}
    assert example_arguments(None) == example_arguments({}) == {}


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ([], "not a JSON schema"),
        ({"type": "string"}, "not of an object"),
        (arguments(a={"type": "string", "pattern": "^M"}), "no text with pattern '^M'"),
        (arguments(a={"type": "string", "format": "date"}), "no text with format 'date'"),
        (arguments(a={"type": "text"}), "there is no type 'text'"),
        (arguments(a={"type": "integer", "minimum": 3, "maximum": 2}), "no number between its limits"),
        (arguments(a={"type": "array", "minItems": 2, "uniqueItems": True}), "several different items"),
        (arguments(a={"$ref": "#/$defs/none"}), "'#/$defs/none' refers to nothing"),
        ({"$defs": {"a": arguments(a={"$ref": "#/$defs/a"})}, **arguments(a={"$ref": "#/$defs/a"})}, "no end"),
        (arguments(a="string"), "a schema is no object"),
    ],
)
def test_a_schema_for_which_there_is_no_rule_says_why(schema, reason):
    with pytest.raises(NoExampleError) as refused:
        example_arguments(schema)
    assert reason in str(refused.value)
