"""What holds for every model that crosses a process boundary, tried on one example of it."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from schemas.base import WireModel


def check_wire(model: type[WireModel], example: dict[str, Any]) -> WireModel:
    """The example as ``model``: it travels, cannot be changed, and needs exactly the fields that have no default."""
    found = model.model_validate(example)
    text = found.model_dump_json()
    assert model.model_validate_json(text) == found, "what is written is read back"
    assert model.read(json.loads(text)) == found
    with pytest.raises(ValidationError, match="not permitted"):
        model.model_validate(example | {"field_of_a_newer_peer": 1})
    assert model.read(example | {"field_of_a_newer_peer": 1}) == found, "a lenient reader survives a newer peer"
    with pytest.raises(ValidationError, match="frozen"):
        setattr(found, next(iter(model.model_fields)), None)
    for name, field in model.model_fields.items():
        without = {key: value for key, value in example.items() if key != name}
        if field.is_required():
            assert name in refusal(model, without), f"{model.__name__} without {name}"
        else:
            model.model_validate(without)
    return found


def refusal(model: type[WireModel], data: dict[str, Any]) -> str:
    """Where and why ``data`` is refused, as text."""
    with pytest.raises(ValidationError) as caught:
        model.model_validate(data)
    return "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in caught.value.errors())
