"""A tool's JSON schema from its type hints and docstring."""

import inspect
import re
import types
import typing
from collections.abc import Callable
from typing import Any

_PLAIN: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    dict: {"type": "object"},
    list: {"type": "array"},
    tuple: {"type": "array"},
    Any: {},
}
_ARGUMENT_LINE = re.compile(r"^\s*:?(?:param\s+)?(\w+)\s*(?:\([^)]*\))?:\s*(.+)$")


class ToolArgumentError(TypeError):
    """A tool was called by a name or with arguments that it does not have."""


def function_schema(function: Callable[..., Any]) -> dict[str, Any]:
    """``{"type": "function", "function": {name, description, parameters}}``, as chat models take it.

    The description is the docstring's text before its arguments; ``name: text`` lines (Google or reST style) describe
    parameters. A parameter without a default is required.
    """
    hints = typing.get_type_hints(function)
    description, described = _read_docstring(inspect.getdoc(function) or "")
    properties: dict[str, Any] = {}
    required: list[str] = []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        schema = dict(_schema_of(hints.get(name, Any)))
        if name in described:
            schema["description"] = described[name]
        if parameter.default is parameter.empty:
            required.append(name)
        elif isinstance(parameter.default, (str, int, float, bool, list, dict)):
            schema["default"] = parameter.default
        properties[name] = schema
    parameters = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {
        "type": "function",
        "function": {"name": function.__name__, "description": description, "parameters": parameters},
    }


def _read_docstring(text: str) -> tuple[str, dict[str, str]]:
    """The summary, and what the docstring says of each argument."""
    summary, described = [], {}
    in_arguments = False
    for line in text.splitlines():
        if line.strip().lower() in {"args:", "arguments:", "parameters:"}:
            in_arguments = True
        elif in_arguments or line.lstrip().startswith(":param"):
            match = _ARGUMENT_LINE.match(line)
            if match:
                described[match[1]] = match[2].strip()
        else:
            summary.append(line)
    return "\n".join(summary).strip(), described


def _schema_of(hint: Any) -> dict[str, Any]:
    if hint in _PLAIN:
        return _PLAIN[hint]
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return {"enum": list(arguments)}
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [_schema_of(part) for part in arguments]}
    if origin in (list, set, tuple, frozenset):
        items = _schema_of(arguments[0]) if arguments else {}
        return {"type": "array", "items": items}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema_of(arguments[1])}
    return {}
