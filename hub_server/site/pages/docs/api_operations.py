"""The HTTP interface as a page shows it: its operations by subject, made from its description (OpenAPI)."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

_METHODS = ("get", "post", "put", "patch", "delete")
_REF = "#/components/schemas/"
_PLAIN = {"string": "text", "number": "number", "integer": "whole number", "boolean": "true or false", "null": "null"}
_EXAMPLES: dict[str, Any] = {"text": "…", "number": 1.0, "whole number": 1, "true or false": True}


@dataclass(frozen=True)
class ApiValue:
    """One value that an operation or an object takes. ``place``: path, query, header, or empty for a field."""

    name: str
    words: str
    """What it may be: ``text``, ``list of PackageCard``, ``text or null``."""
    is_required: bool
    description: str = ""
    place: str = ""
    default: str = ""


@dataclass(frozen=True)
class Body:
    """What is sent, or answered. ``example``: JSON with what is required; empty where it is not JSON."""

    media_type: str
    words: str
    example: str = ""


@dataclass(frozen=True)
class ApiAnswer:
    """One way in which an operation answers."""

    status: str
    description: str
    bodies: list[Body]


@dataclass(frozen=True)
class Operation:
    """One method of one path."""

    method: str
    path: str
    summary: str
    description: str
    parameters: list[ApiValue]
    body: Body | None
    answers: list[ApiAnswer]

    @property
    def anchor(self) -> str:
        """Its place on the page of its subject."""
        return f"{self.method.lower()}-" + re.sub(r"[^a-z0-9]+", "-", self.path.lower()).strip("-")

    @property
    def changes(self) -> bool:
        """Whether it changes something."""
        return self.method != "GET"


@dataclass(frozen=True)
class ApiObject:
    """A JSON object that operations take or answer with."""

    name: str
    description: str
    fields: list[ApiValue]
    values: list[str] = field(default_factory=list)
    """Of an enumeration: its values."""


@dataclass(frozen=True)
class Subject:
    """The operations of one subject."""

    name: str
    operations: list[Operation]

    @property
    def slug(self) -> str:
        """Its part of an address."""
        return self.name.replace(" ", "-")


def subjects_of(api: Mapping[str, Any]) -> list[Subject]:
    """Every operation under its subject, in the order of the description."""
    found: dict[str, list[Operation]] = {}
    for path, item in api["paths"].items():
        for method in _METHODS:
            if method in item:
                made = _operation_of(api, path, method, item[method])
                found.setdefault((item[method].get("tags") or ["other"])[0], []).append(made)
    return [Subject(name, operations) for name, operations in sorted(found.items())]


def objects_of(api: Mapping[str, Any], subject: Subject) -> list[ApiObject]:
    """The objects that a subject's operations speak of, and those in them, by name."""
    schemas = api["components"]["schemas"]
    waiting = [name for path, item in api["paths"].items() for method in _METHODS if method in item
               and any((path, method.upper()) == (one.path, one.method) for one in subject.operations)
               for name in _named(item[method])]  # fmt: skip
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in seen and name in schemas:
            seen.add(name)
            waiting += _named(schemas[name])
    return [_object_of(api, name) for name in sorted(seen)]


def _named(value: Any) -> list[str]:
    """Names of the schemas that JSON refers to."""
    if isinstance(value, Mapping):
        own = [str(value["$ref"]).removeprefix(_REF)] if "$ref" in value else []
        return own + [name for part in value.values() for name in _named(part)]
    return [name for part in value for name in _named(part)] if isinstance(value, list) else []


def _operation_of(api: Mapping[str, Any], path: str, method: str, said: Mapping[str, Any]) -> Operation:
    sent = said.get("requestBody", {}).get("content", {})
    return Operation(
        method=method.upper(),
        path=path,
        summary=said.get("summary", path),
        description=said.get("description", ""),
        parameters=[_parameter_of(one) for one in said.get("parameters", [])],
        body=next(iter(_bodies_of(api, sent)), None),
        answers=[
            ApiAnswer("refused" if status == "default" else status, answer.get("description", ""),
                   _bodies_of(api, answer.get("content", {})))
            for status, answer in said.get("responses", {}).items()
        ],
    )  # fmt: skip


def _parameter_of(said: Mapping[str, Any]) -> ApiValue:
    schema = said.get("schema", {})
    return ApiValue(
        said["name"],
        words_of(schema),
        bool(said.get("required")),
        said.get("description", ""),
        said["in"],
        _default_of(schema),
    )


def _bodies_of(api: Mapping[str, Any], content: Mapping[str, Any]) -> list[Body]:
    made = []
    for media_type, said in content.items():
        schema = said.get("schema", {})
        example = json.dumps(_example_of(api, schema, 3), indent=2, ensure_ascii=False)
        made.append(Body(media_type, words_of(schema), example if media_type == "application/json" else ""))
    return made


def _object_of(api: Mapping[str, Any], name: str) -> ApiObject:
    schema = api["components"]["schemas"][name]
    needed = set(schema.get("required", []))
    fields = [
        ApiValue(key, words_of(value), key in needed, value.get("description", ""), default=_default_of(value))
        for key, value in schema.get("properties", {}).items()
    ]
    return ApiObject(
        _name_of(name), schema.get("description", ""), fields, [str(one) for one in schema.get("enum", [])]
    )


def words_of(schema: Mapping[str, Any]) -> str:
    """What a value may be, in words."""
    if "$ref" in schema:
        return _name_of(str(schema["$ref"]).removeprefix(_REF))
    if "const" in schema or "enum" in schema:
        return " or ".join(json.dumps(one) for one in schema.get("enum", [schema.get("const")]))
    several: Sequence[Mapping[str, Any]] = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf") or ()
    if several:
        return " or ".join(dict.fromkeys(words_of(one) for one in several))
    kind = schema.get("type")
    if kind == "array":
        return f"list of {words_of(schema.get('items', {}))}"
    if kind == "object":
        values = schema.get("additionalProperties")
        return f"object of {words_of(values)}" if isinstance(values, Mapping) and values else "object"
    if schema.get("format") == "binary":
        return "bytes"
    if schema.get("format") == "date-time":
        return "time"
    return _PLAIN.get(str(kind), "anything")


def _name_of(schema: str) -> str:
    """``Page_Run_`` is a page of ``Run``."""
    return re.sub(r"^(\w+?)_(\w+)_$", r"\1[\2]", schema)


def _default_of(schema: Mapping[str, Any]) -> str:
    default = schema.get("default")
    return "" if default in (None, "") else json.dumps(default, ensure_ascii=False)


def _example_of(api: Mapping[str, Any], schema: Mapping[str, Any], depth: int) -> Any:
    """A value of that shape, with what is required. Objects in objects end at ``depth``."""
    if "$ref" in schema:
        named = api["components"]["schemas"].get(str(schema["$ref"]).removeprefix(_REF), {})
        return _example_of(api, named, depth - 1) if depth else {}
    if "enum" in schema or "const" in schema:
        return schema.get("enum", [schema.get("const")])[0]
    several = _first(schema.get("anyOf"), schema.get("oneOf"), schema.get("allOf"))
    if several:
        return _example_of(api, several[0], depth)
    if schema.get("type") == "array":
        return [_example_of(api, schema.get("items", {}), depth - 1)] if depth else []
    if schema.get("type") == "object" or "properties" in schema:
        needed = schema.get("required", []) if depth else []
        return {name: _example_of(api, schema["properties"][name], depth - 1) for name in needed}
    return _EXAMPLES.get(words_of(schema), "…")


def _first(*choices: Sequence[Mapping[str, Any]] | None) -> Sequence[Mapping[str, Any]]:
    return next((one for one in choices if one), ())


def curl_of(operation: Operation, hub_url: str) -> str:
    """The operation as a command. Words in capitals are for the reader to replace."""
    path = re.sub(r"\{(\w+)(?::\w+)?\}", lambda part: part[1].upper(), operation.path)
    needed = [one for one in operation.parameters if one.place == "query" and one.is_required]
    query = "&".join(f"{one.name}={one.name.upper()}" for one in needed)
    words: list[str] = [f"curl '{hub_url}{path}{'?' + query if query else ''}'"]
    if operation.method not in ("GET", "POST") or (operation.method == "POST" and operation.body is None):
        words.append(f"-X {operation.method}")
    if operation.changes:
        words.append('-H "Authorization: Bearer $VERIHUB_TOKEN"')
    if operation.body is not None:
        words.append(f"-H 'Content-Type: {operation.body.media_type}'")
        words.append(_data_of(operation.body))
    return " \\\n  ".join(words)


def _data_of(body: Body) -> str:
    if not body.example:
        return "--data-binary @FILE"
    return f"-d '{json.dumps(json.loads(body.example), ensure_ascii=False)}'"


def find_subject(subjects: Iterable[Subject], slug: str) -> Subject | None:
    """The subject of an address, or None."""
    return next((one for one in subjects if one.slug == slug), None)
