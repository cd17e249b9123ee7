"""What all settings share: a misspelt variable or argument is refused, because ignoring it would keep a default.

``VERIHUB_SANDBOX_RUNTIM=runsc`` would run strangers' code without gVisor, and ``VERIHUB_SERVER_SIGN_UP_OPNE=false``
would leave sign-up open.
"""

import difflib
import os
import re
from collections.abc import Iterable
from typing import Any, ClassVar

from pydantic import ValidationError, model_validator
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
_OF_A_SERVICE = re.compile(r"_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(ADDR|PORT|PROTO))?$")


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
        found = [name for name, value in os.environ.items() if not _is_of_a_service(name, value)]  # noqa: TID251 -- names
        wrong = misspelt(found, prefix, known, delimiter, knows_all=cls.knows_all)
        if wrong:
            raise ValueError("; ".join(wrong))
        return values


def why_unusable(error: ValidationError) -> str:
    """Which settings are wrong, without their values; empty where the error is about something else."""
    kind = next((one for one in Settings.__subclasses__() if one.__name__ == error.title), None)
    if kind is None:
        return ""
    prefix = str(kind.model_config.get("env_prefix", ""))
    lines = []
    for fault in error.errors(include_input=False):
        where = "__".join(str(part).upper() for part in fault["loc"])
        said = fault["msg"].removeprefix("Value error, ")
        lines.append(f"{prefix}{where}: {said}" if where else said)
    return "; ".join(lines)


def _is_of_a_service(name: str, value: str) -> bool:
    """Whether Kubernetes made this variable: each pod gets some of every service of its namespace, so a service
    ``verihub-server`` gives ``VERIHUB_SERVER_SERVICE_HOST`` and ``VERIHUB_SERVER_PORT``.
    """
    return _OF_A_SERVICE.search(name) is not None or (name.endswith("_PORT") and "://" in value)


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
