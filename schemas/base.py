"""WireModel, the base of everything that crosses a process boundary."""

from typing import Any, Self

from pydantic import BaseModel, ConfigDict


class WireModel(BaseModel):
    """Frozen and strict: unknown fields and NaN are refused.

    Writers validate strictly. A reader that must understand messages of a newer version calls :meth:`read`, which
    ignores unknown fields.
    """

    # Validation and output both use aliases, so that what is written can be read back.
    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, ser_json_bytes="base64", serialize_by_alias=True
    )

    @classmethod
    def read(cls, data: Any) -> Self:
        """Validate ``data`` (parsed JSON) and ignore unknown fields, at every depth."""
        return cls.model_validate(data, extra="ignore")
