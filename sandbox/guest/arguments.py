"""Converts a model's JSON arguments to a tool's type hints. An error names the argument and what would be valid."""

import dataclasses
import enum
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

from sandbox.guest.schema import Parameter, fields_of, name_of, parameters_of, schema_of

_KINDS = {str: "text", int: "an integer", float: "a number", bool: "true or false", type(None): "null"}
_SHOWN = 60


class ToolArgumentError(TypeError):
    """A call names a tool that does not exist, or arguments that the tool does not take."""


def bind_arguments(function: Callable[..., Any], given: Any, name: str | None = None) -> dict[str, Any]:
    """Converts ``given`` to the keyword arguments of ``function``.

    Raises :class:`ToolArgumentError`, which lists every fault at once.
    """
    name = name or name_of(function)
    if not isinstance(given, Mapping):
        raise ToolArgumentError(f"{name}: the arguments must be an object, not {_shown(given)}")
    parameters = {parameter.name: parameter for parameter in parameters_of(function)}
    faults = [f"there is no argument {extra!r}" for extra in given if extra not in parameters]
    faults += [
        f"{wanted.name} is missing" for wanted in parameters.values() if wanted.is_required and wanted.name not in given
    ]
    bound = {}
    for parameter in parameters.values():
        if parameter.name in given:
            try:
                bound[parameter.name] = _convert(given[parameter.name], parameter.hint, parameter.name)
            except ToolArgumentError as fault:
                faults.append(str(fault))
    if faults:
        raise ToolArgumentError(f"{name}: {'; '.join(faults)}; {_takes(parameters.values())}")
    return bound


def plain(value: Any) -> Any:
    """The result of a tool as JSON types: dataclasses, enumerations, tuples and sets are converted."""
    if isinstance(value, enum.Enum):
        return plain(value.value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else str(plain(key)): plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    if isinstance(value, (set, frozenset)):
        return sorted((plain(inner) for inner in value), key=lambda inner: (type(inner).__name__, str(inner)))
    return value


def _convert(value: Any, hint: Any, where: str) -> Any:
    """``value`` converted to ``hint``. Text is never read as a number, nor a number as text."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint in (Any, object):
        return value
    if origin is typing.Annotated or origin in (typing.Required, typing.NotRequired):
        return _convert(value, arguments[0], where)
    if hint in _KINDS or hint is None:
        return _convert_plain(value, type(None) if hint is None else hint, where)
    if origin in (typing.Union, types.UnionType):
        return _convert_union(value, arguments, where)
    if origin is typing.Literal:
        return _choose(value, list(arguments), where)
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return hint(_choose(value, [member.value for member in hint], where))
    if fields := fields_of(hint, where):
        return _convert_object(value, hint, fields, where)
    return _convert_container(value, hint, origin or hint, arguments, where)


def _convert_plain(value: Any, hint: type, where: str) -> Any:
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if hint is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if type(value) is not hint:
        raise ToolArgumentError(f"{where} must be {_KINDS[hint]}, not {_shown(value)}")
    return value


def _convert_union(value: Any, hints: tuple[Any, ...], where: str) -> Any:
    faults = []
    exact_first = sorted(hints, key=lambda hint: hint is not type(value))  # For float | int, 1 stays an int.
    for hint in exact_first:
        try:
            return _convert(value, hint, where)
        except ToolArgumentError as fault:
            faults.append(str(fault).partition(", not ")[0])
    raise ToolArgumentError(f"{' or '.join(dict.fromkeys(faults))}, not {_shown(value)}")


def _choose(value: Any, choices: list[Any], where: str) -> Any:
    for choice in choices:
        if choice == value and type(choice) is type(value):
            return choice
    raise ToolArgumentError(f"{where} must be one of {', '.join(map(repr, choices))}, not {_shown(value)}")


def _convert_object(value: Any, hint: Any, fields: dict[str, tuple[Any, bool, Any]], where: str) -> Any:
    if not isinstance(value, dict):
        raise ToolArgumentError(f"{where} must be an object with {', '.join(fields)}, not {_shown(value)}")
    faults = [f"{where} has no {extra!r}" for extra in value if extra not in fields]
    faults += [
        f"{where}.{name} is missing" for name, (_, required, _) in fields.items() if required and name not in value
    ]
    if faults:
        raise ToolArgumentError("; ".join(faults))
    made = {name: _convert(value[name], fields[name][0], f"{where}.{name}") for name in value}
    return made if typing.is_typeddict(hint) else hint(**made)


def _convert_container(value: Any, hint: Any, origin: Any, arguments: tuple[Any, ...], where: str) -> Any:
    schema = schema_of(hint, where)
    if schema["type"] == "object":
        if not isinstance(value, dict):
            raise ToolArgumentError(f"{where} must be an object, not {_shown(value)}")
        inner = arguments[1] if len(arguments) == 2 else Any
        return {key: _convert(item, inner, f"{where}[{key!r}]") for key, item in value.items()}
    if not isinstance(value, list):
        raise ToolArgumentError(f"{where} must be a list, not {_shown(value)}")
    length = schema.get("maxItems")
    if length is not None and len(value) != length:
        raise ToolArgumentError(f"{where} must have {length} items, not {len(value)}")
    if length is not None:
        pairs = enumerate(zip(value, arguments, strict=True))
        made = [_convert(item, part, f"{where}[{index}]") for index, (item, part) in pairs]
    else:
        inner = arguments[0] if arguments else Any
        made = [_convert(item, inner, f"{where}[{index}]") for index, item in enumerate(value)]
    return origin(made) if origin in (tuple, set, frozenset) else made


def _takes(parameters: "typing.Iterable[Parameter]") -> str:
    shown = [parameter.name if parameter.is_required else f"{parameter.name} (optional)" for parameter in parameters]
    return f"it takes {', '.join(shown)}" if shown else "it takes no arguments"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
