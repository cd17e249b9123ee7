"""Arguments that a tool's JSON schema allows, made from the schema: to try a tool before a model does."""

from collections.abc import Iterator
from typing import Any

_MOST_DEPTH = 8  # of nested schemas: one that refers to itself has no end
_CHARACTERS = "example "


class NoExampleError(Exception):
    """No value of this schema can be made by rule. The message says which part is the reason."""


def example_arguments(parameters: Any) -> dict[str, Any]:
    """Every argument that is required, as the schema allows it.

    Raises:
        NoExampleError: the schema is none, or asks for something that no rule here makes (a text with ``pattern``).

    """
    if parameters in (None, {}):
        return {}
    if not isinstance(parameters, dict):
        raise NoExampleError(f"parameters is {parameters!r:.60}, not a JSON schema")
    made = _example({"type": "object", **parameters}, parameters, 0)
    if not isinstance(made, dict):
        raise NoExampleError(f"parameters is a schema of {parameters.get('type')!r}, not of an object")
    return made


def _example(schema: Any, root: dict[str, Any], depth: int) -> Any:
    """A value of ``schema``; references are looked up in ``root``."""
    if schema is True or schema == {}:
        return "example"
    if not isinstance(schema, dict) or depth > _MOST_DEPTH:
        raise NoExampleError("a schema is no object" if not isinstance(schema, dict) else "a schema has no end")
    for given in _given_values(schema):
        return given
    if "$ref" in schema:
        return _example(_referred(schema["$ref"], root), root, depth + 1)
    for choice in ("anyOf", "oneOf"):
        if schema.get(choice):
            return _first_of(schema[choice], root, depth + 1)
    if "allOf" in schema:
        return _example(_joined(schema, root), root, depth + 1)
    return _of_type(schema, root, depth)


def _given_values(schema: dict[str, Any]) -> Iterator[Any]:
    """Values that the schema itself names."""
    if "const" in schema:
        yield schema["const"]
    for several in ("enum", "examples"):
        if isinstance(schema.get(several), list):
            yield from schema[several]
    if "default" in schema:
        yield schema["default"]


def _of_type(schema: dict[str, Any], root: dict[str, Any], depth: int) -> Any:
    kind = schema.get("type", "object" if "properties" in schema else "string")
    if isinstance(kind, list):
        return _first_of([{**schema, "type": one} for one in kind], root, depth + 1)
    if kind == "string":
        return _text(schema)
    if kind in ("integer", "number"):
        return _number(schema, is_whole=kind == "integer")
    if kind == "array":
        return _array(schema, root, depth)
    if kind == "object":
        properties = schema.get("properties") or {}
        return {name: _example(properties.get(name, {}), root, depth + 1) for name in schema.get("required") or []}
    if kind == "boolean":
        return True
    if kind == "null":
        return None
    raise NoExampleError(f"there is no type {kind!r} in JSON schema")


def _first_of(schemas: list[Any], root: dict[str, Any], depth: int) -> Any:
    """A value of the first schema of which one can be made."""
    reason = NoExampleError("a choice of nothing")
    for schema in schemas:
        try:
            return _example(schema, root, depth)
        except NoExampleError as error:
            reason = error
    raise reason


def _referred(reference: Any, root: dict[str, Any]) -> Any:
    """What a reference within the schema (``#/$defs/item``) names."""
    found: Any = root
    for part in str(reference).removeprefix("#").strip("/").split("/"):
        found = found.get(part) if isinstance(found, dict) else None
    if found is None:
        raise NoExampleError(f"{reference!r} refers to nothing")
    return found


def _joined(schema: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    """One schema of all parts of ``allOf``."""
    found: dict[str, Any] = {}
    for given in ({name: value for name, value in schema.items() if name != "allOf"}, *schema["allOf"]):
        part = _referred(given["$ref"], root) if isinstance(given, dict) and "$ref" in given else given
        if not isinstance(part, dict):
            raise NoExampleError("allOf holds what is no object")
        joined = {"properties": {**found.get("properties", {}), **part.get("properties", {})},
                  "required": [*found.get("required", []), *part.get("required", [])]}  # fmt: skip
        found |= part | {name: value for name, value in joined.items() if value}
    return found


def _text(schema: dict[str, Any]) -> str:
    for rule in ("pattern", "format"):
        if rule in schema:
            raise NoExampleError(f"no text with {rule} {schema[rule]!r} can be made")
    least, most = schema.get("minLength", 0), schema.get("maxLength", 1 << 20)
    text = _CHARACTERS.strip() if least <= len(_CHARACTERS.strip()) else _CHARACTERS * (least // len(_CHARACTERS) + 1)
    return text[: max(least, min(most, len(_CHARACTERS.strip())))]


def _number(schema: dict[str, Any], *, is_whole: bool) -> int | float:
    """1 where it is allowed, and otherwise the allowed number next to the nearer end."""
    step = schema.get("multipleOf", 1 if is_whole else 0)
    low, high = schema.get("minimum", float("-inf")), schema.get("maximum", float("inf"))
    above, below = schema.get("exclusiveMinimum", float("-inf")), schema.get("exclusiveMaximum", float("inf"))
    near = [1, 0, low, high, above + (step or 0.5), below - (step or 0.5)]
    if above > float("-inf") and below < float("inf"):
        near.append((above + below) / 2)
    if step:
        near += [-(-end // step) * step for end in (1, low, above + step) if abs(end) < float("inf")]
    for one in near:
        is_inside = low <= one <= high and above < one < below and abs(one) < float("inf")
        if is_inside and not (step and one % step):
            return int(one) if is_whole else one
    raise NoExampleError(f"no number between its limits was found for {schema!r:.100}")


def _array(schema: dict[str, Any], root: dict[str, Any], depth: int) -> list[Any]:
    first = [_example(one, root, depth + 1) for one in schema.get("prefixItems") or []]
    least = max(schema.get("minItems", 0), 0 if first or schema.get("maxItems") == 0 else 1)
    items = schema.get("items", {})
    if isinstance(items, dict) and schema.get("uniqueItems") and items.get("enum"):
        return first + list(items["enum"][: max(0, least - len(first))])
    more = [_example(items, root, depth + 1) for _ in range(least - len(first))]
    if schema.get("uniqueItems") and len(more) > 1:
        raise NoExampleError("no list of several different items can be made")
    return first + more
