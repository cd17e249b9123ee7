"""What all settings share: a misspelt variable or argument is refused, because ignoring it would keep a default.

``VERIHUB_SANDBOX_RUNTIM=runsc`` would run strangers' code without gVisor, and ``VERIHUB_SERVER_SIGN_UP_OPNE=false``
would leave sign-up open.
"""

import difflib
import os
from collections.abc import Iterable
from typing import Any, ClassVar

from pydantic import model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

PREFIXES = (
    "VERIHUB_SANDBOX_CLUSTER_",
    "VERIHUB_SANDBOX_REMOTE_",
    "VERIHUB_SANDBOX_RAY_",
    "VERIHUB_SANDBOX_",
    "VERIHUB_IMAGES_",
    "VERIHUB_SERVER_",
    "VERIHUB_",
)
"""Of every class of settings, longer ones first: a variable belongs to the first that it begins with."""
_CLOSE = 0.8


class Settings(BaseSettings):
    """Argument > environment > default. ``env_prefix`` is one of ``PREFIXES``."""

    model_config = SettingsConfigDict(frozen=True, extra="forbid")

    knows_all: ClassVar[bool] = True
    """Whether every variable with the prefix is one of these settings. Else only a near miss is refused."""

    @model_validator(mode="before")
    @classmethod
    def _no_misspelt_variable(cls, values: Any) -> Any:
        prefix = str(cls.model_config.get("env_prefix", ""))
        delimiter = cls.model_config.get("env_nested_delimiter")
        known = [name.upper() for name in cls.model_fields]
        wrong = misspelt(os.environ, prefix, known, delimiter, knows_all=cls.knows_all)  # noqa: TID251 -- names
        if wrong:
            raise ValueError("; ".join(wrong))
        return values


def misspelt(
    variables: Iterable[str], prefix: str, known: list[str], delimiter: str | None, *, knows_all: bool
) -> list[str]:
    """A sentence for each environment variable that belongs to ``prefix`` and is none of the fields ``known``.

    What follows ``delimiter`` is the name of a field within a group, which the group itself checks.
    """
    found = []
    for variable in sorted(variables):
        name = variable.upper()
        if next((one for one in PREFIXES if name.startswith(one)), "") != prefix:
            continue
        field = name[len(prefix) :].partition(delimiter)[0] if delimiter else name[len(prefix) :]
        if field in known:
            continue
        near = difflib.get_close_matches(field, known, n=1, cutoff=_CLOSE)
        if near or knows_all:
            found.append(f"{variable} is no setting" + (f": did you mean {prefix}{near[0]}?" if near else ""))
    return found
