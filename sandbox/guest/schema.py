"""Makes a tool's JSON schema from its type hints and docstring. A type that JSON cannot express is refused."""

import dataclasses
import enum
import inspect
import json
import re
import types
import typing
from collections.abc import Callable
from typing import Any

from sandbox.guest.docstrings import read_docstring

_PLAIN: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    None: {"type": "null"},
    dict: {"type": "object"},
    list: {"type": "array"},
    tuple: {"type": "array"},
    set: {"type": "array", "uniqueItems": True},
    frozenset: {"type": "array", "uniqueItems": True},
    Any: {},
    object: {},
}
_JSON_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_DEEPEST = 12  # chosen: a type that refers to itself ends here


class UndescribableToolError(TypeError):
    """A tool's signature has a type that JSON cannot express. The message names the parameter and what is possible."""


@dataclasses.dataclass(frozen=True)
class Parameter:
    """One parameter of a tool. ``hint`` is ``Any`` where the author gave none."""

    name: str
    hint: Any
    default: Any
    is_required: bool


def parameters_of(function: Callable[..., Any]) -> list[Parameter]:
    """The parameters of ``function`` by name. Raises :class:`UndescribableToolError`."""
    title = name_of(function)
    try:
        hints = typing.get_type_hints(_bare(function), include_extras=True)
    except Exception as error:  # hints in quotes are evaluated: they are the author's code
        raise UndescribableToolError(f"{title}: its type hints cannot be read: {error}") from None
    found = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            raise UndescribableToolError(f"{title}: *{parameter.name} has no name or type: list what the tool takes")
        if parameter.kind is parameter.POSITIONAL_ONLY:
            raise UndescribableToolError(f"{title}: {parameter.name} is positional-only, and arguments come by name")
        required = parameter.default is parameter.empty
        default = None if required else parameter.default
        found.append(Parameter(parameter.name, hints.get(parameter.name, Any), default, required))
    return found


def function_schema(function: Callable[..., Any], name: str | None = None) -> dict[str, Any]:
    """``{"type": "function", "function": {name, description, parameters}}``, as chat models take it.

    The description is the docstring without its section on arguments, in Google, NumPy or reST style. That section
    describes the parameters. A parameter without a default is required.
    """
    name = name or name_of(function)
    if not _NAME.fullmatch(name):
        raise UndescribableToolError(f"{name}: a tool's name is at most 64 of A-Z a-z 0-9 _, as models take it")
    description, described = read_docstring(inspect.getdoc(function) or "")
    properties: dict[str, Any] = {}
    required: list[str] = []
    for parameter in parameters_of(function):
        where = f"{name}: {parameter.name}"
        schema = dict(schema_of(parameter.hint, where))
        if parameter.name in described:
            schema["description"] = described[parameter.name]
        if parameter.is_required:
            required.append(parameter.name)
        elif (default := _as_json(parameter.default)) is not _NOT_JSON:
            schema["default"] = default
        properties[parameter.name] = schema
    parameters = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    }


def schema_of(hint: Any, where: str, depth: int = 0) -> dict[str, Any]:
    """``hint`` as JSON schema. ``where`` names the parameter in the message of an error."""
    if depth > _DEEPEST:
        raise UndescribableToolError(f"{where}: the type refers to itself or is too deep for a schema: make it flat")
    plain = _plain_schema(hint)
    if plain is not None:
        return plain
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        said = next((extra for extra in arguments[1:] if isinstance(extra, str)), None)
        inner = schema_of(arguments[0], where, depth)
        return {**inner, "description": said} if said else inner
    if origin in (typing.Required, typing.NotRequired):
        return schema_of(arguments[0], where, depth)
    if origin is typing.Literal:
        return _choice(list(arguments), where)
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return _choice([member.value for member in hint], where)
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [schema_of(part, where, depth + 1) for part in arguments]}
    if fields := fields_of(hint, where):
        return _object(fields, where, depth)
    return _container(hint, origin, arguments, where, depth)


def fields_of(hint: Any, where: str) -> dict[str, tuple[Any, bool, Any]] | None:
    """Name -> (hint, whether it must be given, default) of a TypedDict or dataclass; None for anything else."""
    if typing.is_typeddict(hint):
        hints = _hints(hint, where)
        return {name: (hints[name], name in hint.__required_keys__, dataclasses.MISSING) for name in hints}
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        hints = _hints(hint, where)
        return {
            field.name: (hints[field.name], _has_no_default(field), field.default)
            for field in dataclasses.fields(hint)
            if field.init
        }
    return None


def name_of(function: Callable[..., Any]) -> str:
    """The function's name in its source."""
    return str(getattr(_bare(function), "__name__", type(function).__name__))


def _bare(function: Callable[..., Any]) -> Any:
    """The object that has the type hints: the function of a partial, the ``__call__`` of an instance."""
    inner = getattr(function, "func", function)
    if inspect.isroutine(inner) or isinstance(inner, type):
        return inner
    return type(inner).__call__


def _plain_schema(hint: Any) -> dict[str, Any] | None:
    try:
        return _PLAIN.get(hint)
    except TypeError:  # an unhashable hint, such as Literal[[]]
        return None


def _choice(values: list[Any], where: str) -> dict[str, Any]:
    for value in values:
        if type(value) not in _JSON_TYPES:
            raise UndescribableToolError(f"{where}: {value!r} is neither text, a number, true or false, nor null")
    kinds = sorted({_JSON_TYPES[type(value)] for value in values})
    return {"type": kinds[0] if len(kinds) == 1 else kinds, "enum": values}


def _object(fields: dict[str, tuple[Any, bool, Any]], where: str, depth: int) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for name, (hint, _, default) in fields.items():
        properties[name] = dict(schema_of(hint, f"{where}.{name}", depth + 1))
        if default is not dataclasses.MISSING and (known := _as_json(default)) is not _NOT_JSON:
            properties[name]["default"] = known
    required = [name for name, (_, is_required, _) in fields.items() if is_required]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _container(hint: Any, origin: Any, arguments: tuple[Any, ...], where: str, depth: int) -> dict[str, Any]:
    kind = origin if isinstance(origin, type) else None
    if kind is tuple and arguments and arguments[-1] is not Ellipsis:
        items = [schema_of(part, where, depth + 1) for part in arguments if part != ()]
        return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
    if kind is not None and issubclass(kind, typing.Mapping) and len(arguments) == 2:
        if "string" not in str(schema_of(arguments[0], where, depth + 1).get("type")):
            raise UndescribableToolError(f"{where}: a JSON object's keys are text, so dict[str, …] is what it can take")
        return {"type": "object", "additionalProperties": schema_of(arguments[1], where, depth + 1)}
    if kind is not None and issubclass(kind, typing.Iterable) and arguments and kind is not dict:
        made: dict[str, Any] = {"type": "array", "items": schema_of(arguments[0], where, depth + 1)}
        return {**made, "uniqueItems": True} if issubclass(kind, typing.AbstractSet) else made
    shown = hint.__name__ if isinstance(hint, type) else str(hint).replace("typing.", "")
    raise UndescribableToolError(
        f"{where}: {shown} has no form in JSON; take text, a number, a boolean, a list, a dict, a Literal, an Enum, a "
        "TypedDict or a dataclass"
    )


def _hints(hint: Any, where: str) -> dict[str, Any]:
    try:
        return typing.get_type_hints(hint, include_extras=True)
    except Exception as error:
        raise UndescribableToolError(f"{where}: the type hints of {hint.__name__} cannot be read ({error})") from None


def _has_no_default(field: "dataclasses.Field[Any]") -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


_NOT_JSON = object()


def _as_json(value: Any) -> Any:
    """A default as JSON, or ``_NOT_JSON``."""
    if isinstance(value, enum.Enum):
        value = value.value
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = dataclasses.asdict(value)
    elif isinstance(value, (tuple, set, frozenset)):
        value = list(value)
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError):
        return _NOT_JSON
