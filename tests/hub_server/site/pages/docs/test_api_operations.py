"""The HTTP interface as a page shows it, made from its description: nothing is left out, and odd shapes have words."""

import json
import shlex
from pathlib import Path

import pytest

from hub_server.site.pages.docs.api_operations import curl_of, find_subject, objects_of, subjects_of, words_of

API = json.loads((Path(__file__).parents[3] / "openapi.json").read_text())
NAMES = {words_of({"$ref": f"#/components/schemas/{name}"}) for name in API["components"]["schemas"]}


def test_every_operation_is_shown_once_under_an_anchor_of_its_own() -> None:
    shown = [one for subject in subjects_of(API) for one in subject.operations]
    described = {(method.upper(), path) for path, item in API["paths"].items() for method in item}
    assert {(one.method, one.path) for one in shown} == described
    assert len(shown) == len(described)
    assert len({one.anchor for one in shown}) == len(shown)


def test_every_object_that_a_subject_speaks_of_is_on_its_page() -> None:
    for subject in subjects_of(API):
        names = {one.name for one in objects_of(API, subject)}
        bodies = [body for one in subject.operations for answer in one.answers for body in answer.bodies]
        bodies += [one.body for one in subject.operations if one.body]
        spoken_of = {body.words for body in bodies if body.words in NAMES}
        assert spoken_of <= names, subject.name
        fields = {field.words for one in objects_of(API, subject) for field in one.fields}
        assert {words for words in fields if words in NAMES} <= names, subject.name


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "string"}, "text"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "text or null"),
        ({"type": "array", "items": {"$ref": "#/components/schemas/Post"}}, "list of Post"),
        ({"type": "object", "additionalProperties": {"type": "number"}}, "object of number"),
        ({"type": "object"}, "object"),
        ({"$ref": "#/components/schemas/Page_Run_"}, "Page[Run]"),
        ({"type": "string", "format": "date-time"}, "time"),
        ({"type": "string", "format": "binary"}, "bytes"),
        ({"enum": ["a", 1]}, '"a" or 1'),
        ({"const": "a"}, '"a"'),
        ({}, "anything"),
        ({"type": ["string", "null"]}, "anything"),
    ],
)
def test_a_shape_has_words(schema: dict[str, object], words: str) -> None:
    assert words_of(schema) == words


def test_a_command_is_one_that_a_shell_reads() -> None:
    for subject in subjects_of(API):
        for one in subject.operations:
            words = shlex.split(curl_of(one, "https://hub.example").replace("\\\n", " "))
            assert words[0] == "curl"
            assert words[1].startswith("https://hub.example/")
            assert "{" not in words[1]
            if "-d" in words:
                json.loads(words[words.index("-d") + 1])
            assert ("-H" in words) == (one.changes or one.body is not None)
            if one.method in ("PUT", "PATCH", "DELETE"):
                assert words[words.index("-X") + 1] == one.method


def test_an_object_that_holds_itself_ends() -> None:
    api = {
        "paths": {"/a": {"post": {"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}}}}},
        "components": {"schemas": {"A": {"type": "object", "required": ["a"], "properties": {
            "a": {"type": "array", "items": {"$ref": "#/components/schemas/A"}}}}}},
    }  # fmt: skip
    (subject,) = subjects_of(api)
    assert [one.name for one in objects_of(api, subject)] == ["A"]
    assert subject.operations[0].body is not None
    assert json.loads(subject.operations[0].body.example)


def test_a_subject_is_found_by_its_address() -> None:
    subjects = subjects_of(API)
    assert all(find_subject(subjects, one.slug) is one for one in subjects)
    assert find_subject(subjects, "none") is None
