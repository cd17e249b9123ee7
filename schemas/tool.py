"""A tool as a model sees it, and the result of a call. What a box says about its tools is checked here."""

import json
import re
from typing import Any, Self

from pydantic import Field, ValidationError, field_validator
from pydantic_core import to_json

from schemas.base import WireModel

_NAME = re.compile(r"[A-Za-z0-9_-]{1,128}")
_MAX_SCHEMA_BYTES = 64_000  # chosen, not measured: it goes into every prompt
_MAX_DESCRIPTION = 16_000  # chosen, not measured: it goes into every prompt
_FRAME = '  File "'


class BrokenToolError(ValueError):
    """What a package says about its tools does not describe a tool."""


def words_of_fault(text: str) -> str:
    """The author's exception as text, without the traceback, which only the author can use."""
    lines = text.strip("\n").splitlines()
    end = next((index for index, line in enumerate(lines) if line.startswith(_FRAME)), len(lines))
    return "\n".join(lines[:end]).strip()


def is_tool_call(said: Any) -> bool:
    """Whether a message's tool call names a function, as chat models write it: ``{"function": {"name": …}}``."""
    function = said.get("function") if isinstance(said, dict) else None
    return isinstance(function, dict) and isinstance(function.get("name"), str)


def parsed_arguments(arguments: Any) -> Any:
    """The arguments of a tool call, which chat models write as text with JSON in it. What is no JSON stays as it is."""
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments


def _is_sendable(value: dict[str, Any]) -> bool:
    """Whether every JSON reader accepts it: no NaN, no half of a surrogate pair, no too deep nesting."""
    try:
        json.dumps(value, allow_nan=False)
        to_json(value)
    except (ValueError, RecursionError):
        return False
    return True


class ToolDescription(WireModel):
    """Name, purpose and the JSON schema of the arguments."""

    name: str
    description: str = Field(default="", max_length=_MAX_DESCRIPTION)
    parameters: dict[str, Any]

    @field_validator("name")
    @classmethod
    def _callable_name(cls, name: str) -> str:
        if not _NAME.fullmatch(name):
            raise ValueError("a tool's name is 1 to 128 of A-Z a-z 0-9 _ -")
        return name

    @field_validator("parameters")
    @classmethod
    def _plain_schema(cls, parameters: dict[str, Any]) -> dict[str, Any]:
        """An object's schema without references. Clients may follow references to any address."""
        if parameters.get("type") != "object":
            raise ValueError("the schema of the arguments has another type than object")
        text = json.dumps(parameters, allow_nan=False)
        to_json(parameters)  # Raises for what could not be sent on: halves of surrogate pairs, too deep nesting.
        if len(text) > _MAX_SCHEMA_BYTES:
            raise ValueError(f"the schema has more than {_MAX_SCHEMA_BYTES} characters")
        if '"$ref"' in text or '"$dynamicRef"' in text:
            raise ValueError("the schema may not refer elsewhere")
        return parameters

    @classmethod
    def of_function(cls, schema: Any) -> Self:
        """From ``{"type": "function", "function": {…}}``, as chat models take it. Raises BrokenToolError."""
        try:
            function = schema.get("function", schema)
            return cls.model_validate({name: function[name] for name in cls.model_fields if name in function})
        except ValidationError as error:
            first = error.errors()[0]
            raise BrokenToolError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
        except (AttributeError, TypeError, KeyError, ValueError, RecursionError) as error:
            raise BrokenToolError(f"not a tool's schema: {error}") from None

    @property
    def summary(self) -> str:
        """The description's first line."""
        return self.description.partition("\n")[0]

    def to_mcp(self) -> dict[str, Any]:
        """As the Model Context Protocol lists it."""
        return {"name": self.name, "description": self.description, "inputSchema": self.parameters}


class ToolResult(WireModel):
    """What a call returned as text for a model, or what went wrong (``is_error``)."""

    text: str
    data: dict[str, Any] | None = None
    """The returned object itself, when it is one."""
    is_error: bool = False

    @classmethod
    def of(cls, value: Any) -> Self:
        """Text as it is, anything else as JSON. Half of a surrogate pair cannot be sent and becomes ``?``."""
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        data = value if isinstance(value, dict) and _is_sendable(value) else None
        return cls(text=text.encode("utf-8", "replace").decode(), data=data)

    def to_mcp(self) -> dict[str, Any]:
        """As the Model Context Protocol answers a call."""
        answer: dict[str, Any] = {"content": [{"type": "text", "text": self.text}], "isError": self.is_error}
        if self.data is not None and not self.is_error:
            answer["structuredContent"] = self.data
        return answer
