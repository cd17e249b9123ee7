"""WireModel, the base of everything that crosses a process boundary."""

from typing import Any, Self

from pydantic import BaseModel, ConfigDict


class WireModel(BaseModel):
    """Frozen, strict about what it accepts (unknown fields and NaN are refused), lenient on demand.

    Writers construct and validate strictly. A reader that must survive a newer peer calls
    :meth:`read`, which ignores fields it does not know yet.
    """

    # By alias: what is written must be what is read, and a field whose name is taken in Python has another on the wire.
    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, ser_json_bytes="base64", serialize_by_alias=True
    )

    @classmethod
    def read(cls, data: Any) -> Self:
        """Validate ``data`` (parsed JSON) and ignore unknown fields, at every depth."""
        return cls.model_validate(data, extra="ignore")
