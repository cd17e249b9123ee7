"""Every knob of the client, read once: argument > ``VERIHUB_…`` > the project's ``.verihub.toml`` > the user's file."""

import os
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

import platformdirs
from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, InitSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from hub_client.errors import UsageError

DEFAULT_URL = "http://127.0.0.1:8642"
PROJECT_FILE = ".verihub.toml"


class OutputFormat(StrEnum):
    """human: for eyes · json: one object on stdout · quiet: the bare result (a reference, a digest, a path)."""

    HUMAN = "human"
    JSON = "json"
    QUIET = "quiet"


class Place(StrEnum):
    """Where packages run. auto: here where Docker is, else on the hub · here · hub."""

    AUTO = "auto"
    HERE = "here"
    HUB = "hub"


_command_line: ContextVar[Mapping[str, Any]] = ContextVar("command_line", default=MappingProxyType({}))


@contextmanager
def command_line(options: Mapping[str, Any]) -> Iterator[None]:
    """Within, :meth:`ClientSettings.load` counts ``options`` as arguments."""
    token = _command_line.set(options)
    try:
        yield
    finally:
        _command_line.reset(token)


class ClientSettings(BaseSettings):
    """Settings of the client and its command line. Times in seconds."""

    model_config = SettingsConfigDict(env_prefix="VERIHUB_", frozen=True, extra="ignore")

    url: str = DEFAULT_URL
    """The hub. A package reference always resolves on exactly this one."""
    token: str | None = Field(default=None, repr=False)
    """Overrides the credentials file. Not sent to a hub that only a project's file names: see :meth:`token_to_send`."""
    project_url: str = Field(default="", exclude=True)
    """The hub that a project's file names, where nothing nearer to the user names one. Set by the loader."""
    format: OutputFormat = OutputFormat.HUMAN
    offline: bool = False
    """Use the cache only."""
    cache_dir: Path = Field(default_factory=lambda: Path(platformdirs.user_cache_dir("verihub")))
    config_dir: Path = Field(default_factory=lambda: Path(platformdirs.user_config_dir("verihub")))
    """Holds ``config.toml`` and ``credentials.toml``. Set by argument or environment only."""
    run_at: Place = Place.AUTO
    backend: str = "docker"
    """Sandbox backend for what runs here: ``docker``, ``ray`` (the nodes of a cluster), or ``local``, which isolates
    nothing and wants VERIHUB_SANDBOX_TRUST_LOCAL_CODE=1."""
    connections: int = Field(default=16, ge=1, le=200)
    """Requests in flight at the same time; more wait."""
    timeout_seconds: float = Field(default=60.0, gt=0)
    no_progress: bool = False

    @field_validator("url")
    @classmethod
    def _plain_url(cls, url: str) -> str:
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"{url!r} must start with http:// or https://, for example {DEFAULT_URL}")
        return url.rstrip("/")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Files come after arguments and environment; unset arguments do not count."""
        del dotenv_settings, file_secret_settings
        given = {**env_settings(), **init_settings()}
        config_dir = Path(given.get("config_dir") or platformdirs.user_config_dir("verihub"))
        project = _read_table(_find_project_file(Path.cwd()))
        if "url" in project and "url" not in given:
            project["project_url"] = project["url"]
        tables = [project, _read_table(config_dir / "config.toml")]
        return (init_settings, env_settings, *(InitSettingsSource(settings_cls, table) for table in tables))

    def token_to_send(self) -> str | None:
        """``token``, unless the hub was named by a project's file only.

        Whoever wrote the project chose that address; a token from the environment was not meant for it. A token that
        ``verihub login`` keeps for exactly that address is sent.
        """
        return None if self.project_url else self.token

    @classmethod
    def load(cls, **arguments: Any) -> Self:
        """Read all sources; an argument that is None was not given. Raises :class:`UsageError` with the bad key.

        Inside the command line its global options count as arguments, also for commands of other packages.
        """
        given = {name: value for name, value in arguments.items() if value is not None}
        try:
            return cls(**{**_command_line.get(), **given})
        except ValidationError as error:
            lines = [f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors()]
            raise UsageError("a setting is not valid: " + "; ".join(lines)) from None


def _find_project_file(folder: Path) -> Path | None:
    """The nearest ``.verihub.toml`` at or above ``folder``."""
    return next((place / PROJECT_FILE for place in [folder, *folder.parents] if (place / PROJECT_FILE).is_file()), None)


def _read_table(path: Path | None) -> dict[str, Any]:
    """A settings file; a token in a project's file would end up in version control, so it is refused."""
    if path is None:
        return {}
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read as TOML: {error}") from None
    known = set(ClientSettings.model_fields) - {"config_dir", "token", "project_url"}
    unknown = sorted(set(table) - known)
    if unknown:
        hint = " (a token belongs in `verihub login` or VERIHUB_TOKEN)" if "token" in unknown else ""
        raise UsageError(f"{path} has unknown keys {', '.join(unknown)}{hint}; known: {', '.join(sorted(known))}")
    return table


def wants_colour() -> bool:
    """False when the NO_COLOR convention asks for none."""
    return not os.environ.get("NO_COLOR")  # noqa: TID251 -- this is the settings module
