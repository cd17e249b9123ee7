"""The client's settings, read once: argument > ``VERIHUB_…`` > the project's ``.verihub.toml`` > the user's file.

A project's file is used only if nobody but the user (or root) could have written it. It cannot choose where code runs
or which cache is used: those keys belong to the user's own file.
"""

import os
import stat
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Self

import platformdirs
from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, InitSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from hub_client.errors import UsageError
from schemas.settings import Settings
from schemas.strict_toml import parse_toml

DEFAULT_URL = "http://127.0.0.1:8642"
PROJECT_FILE = ".verihub.toml"
PROJECT_KEYS = frozenset({"url", "format", "run_at", "connections", "timeout_seconds", "no_progress"})
"""Settings that a project's file may set."""
_NEVER_IN_A_FILE = frozenset(
    {"config_dir", "token", "id_token", "project_url", "project_file", "trust_build", "judge_key"}
)


class OutputFormat(StrEnum):
    """human: formatted text · json: one object on stdout · quiet: the bare result (a reference, a digest, a path)."""

    HUMAN = "human"
    JSON = "json"
    QUIET = "quiet"


class Place(StrEnum):
    """Where packages run. auto: on this machine if it has a sandbox, else on the hub · here · hub."""

    AUTO = "auto"
    HERE = "here"
    HUB = "hub"


_OPTIONS = {"url": "--url", "format": "--format", "judge_model": "--judge-model", "min_age": "--min-age"}
_SWITCHES = {"offline": "--offline", "trust_build": "--trust-build"}

_command_line: ContextVar[Mapping[str, Any]] = ContextVar("command_line", default=MappingProxyType({}))


@contextmanager
def command_line(options: Mapping[str, Any]) -> Iterator[None]:
    """Inside this context, :meth:`ClientSettings.load` treats ``options`` as arguments."""
    token = _command_line.set(options)
    try:
        yield
    finally:
        _command_line.reset(token)


def global_options() -> list[str]:
    """The global options of this command line, as words: a command that goes on from it needs the same ones."""
    given = _command_line.get()
    valued = [word for name, option in _OPTIONS.items() if name in given for word in (option, str(given[name]))]
    return valued + [option for name, option in _SWITCHES.items() if given.get(name)]


class ClientSettings(Settings):
    """Settings of the client and its command line. Times in seconds."""

    model_config = SettingsConfigDict(env_prefix="VERIHUB_", extra="ignore")
    knows_all: ClassVar[bool] = False
    """False: other code reads VERIHUB_ variables too, such as VERIHUB_MODEL_KEY."""

    url: str = DEFAULT_URL
    """The hub. A package reference always resolves on exactly this one."""
    token: str | None = Field(default=None, repr=False)
    """Overrides the credentials file. Not sent to a hub that only a project's file names: see :meth:`token_to_send`."""
    id_token: str | None = Field(default=None, repr=False)
    """An identity token of GitHub or GitLab, with which ``verihub publish`` publishes in place of ``token``.

    Set by argument or environment only.
    """
    project_url: str = Field(default="", exclude=True)
    """The hub that a project's file names, when no argument or user setting names one. Set by the loader."""
    project_file: Path | None = Field(default=None, exclude=True)
    """The file that names ``project_url``. Set by the loader."""
    format: OutputFormat = OutputFormat.HUMAN
    """What commands print: ``human`` text, one ``json`` object, or ``quiet`` (the bare result)."""
    offline: bool = False
    """Use the cache only."""
    min_age: float = Field(default=0.0, ge=0, le=3650)
    """Days since its publish that a release must have. A range or ``latest`` takes an older one; else it is refused.

    A project's file cannot choose it: it is a protection of the user's. What ``verihub.lock`` pins is taken.
    """
    cache_dir: Path = Field(default_factory=lambda: Path(platformdirs.user_cache_dir("verihub")))
    """Where downloaded wheels are kept, which are checked again whenever they are read, and converted models."""
    config_dir: Path = Field(default_factory=lambda: Path(platformdirs.user_config_dir("verihub")))
    """Holds ``config.toml`` and ``credentials.toml``. Set by argument or environment only."""
    run_at: Place = Place.AUTO
    """Where packages run: ``here`` in this machine's sandbox, on the ``hub``, or ``auto``: here if possible."""
    backend: str = "docker"
    """Sandbox backend for what runs here: ``docker``, ``remote`` (machines that a command reaches), ``ray`` (the nodes
    of a cluster) or ``local``.

    ``local`` isolates nothing and needs VERIHUB_SANDBOX_TRUST_LOCAL_CODE=1.
    """
    judge_model: str = ""
    """The judge model for verifiers that run here: ``local:NAME`` or ``URL#MODEL``. Empty: none.

    ``http://localhost:8000/v1#qwen`` is the model ``qwen`` of an OpenAI-compatible server. A project's file cannot
    choose it, because model calls cost money.
    """
    judge_key: str | None = Field(default=None, repr=False)
    """The key for that server. Set by argument or environment only."""
    trust_build: bool = False
    """Call a project's own build backend when its wheel cannot be built from its files alone.

    It can run any code as the user. Set by argument or environment only.
    """
    connections: int = Field(default=16, ge=1, le=200)
    """Requests in flight at the same time; more wait."""
    timeout_seconds: float = Field(default=60.0, gt=0)
    """How long one request may take."""
    no_progress: bool = False
    """Show no progress bars."""

    @field_validator("judge_model")
    @classmethod
    def _model_somewhere(cls, model: str) -> str:
        place, _, name = model.partition("#")
        if model and not (model.startswith("local:") or (place.startswith(("http://", "https://")) and name)):
            raise ValueError("it is local:NAME, or URL#MODEL such as http://localhost:8000/v1#qwen")
        return model

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
        project_file = find_project_file(Path.cwd())
        project = _read_table(project_file, PROJECT_KEYS) if project_file else {}
        if "url" in project and "url" not in given:
            project |= {"project_url": project["url"], "project_file": project_file}
        tables = [project, _read_table(config_dir / "config.toml", set(cls.model_fields) - _NEVER_IN_A_FILE)]
        return (init_settings, env_settings, *(InitSettingsSource(settings_cls, table) for table in tables))

    def token_to_send(self) -> str | None:
        """``token``, unless only a project's file names the hub.

        The project's author chose that address, so a token from the environment was not meant for it. A token that
        ``verihub login`` stored for exactly that address is sent.
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
            lines = [_explain(item, {**_command_line.get(), **given}) for item in error.errors()]
            raise UsageError("a setting is not valid: " + "; ".join(lines)) from None


def _explain(fault: Mapping[str, Any], given: Mapping[str, Any]) -> str:
    """One fault: the name under which the value was given, and the value unless it is a secret."""
    said: str = fault["msg"].removeprefix("Value error, ")
    if not fault["loc"]:  # the fault is about several values and names them itself
        return said
    name = str(fault["loc"][0])
    variable = f"VERIHUB_{name.upper()}"
    shown = "" if name in ("token", "id_token", "judge_key") or "input" not in fault else f" (it is {fault['input']!r})"
    if name in given:
        return f"{_OPTIONS.get(name, name)}: {said}{shown}"
    if variable in os.environ:  # noqa: TID251 -- this is the settings module
        return f"{variable}: {said}{shown}"
    return f"{name} in a settings file: {said}{shown}; the environment variable {variable} goes before it"


def find_project_file(folder: Path) -> Path | None:
    """The nearest ``.verihub.toml`` at or above ``folder`` that only the user could have written."""
    files = (place / PROJECT_FILE for place in [folder, *folder.parents])
    return next((file for file in files if file.is_file() and _is_ours(file) and _is_ours(file.parent)), None)


def ignored_project_files(folder: Path) -> list[Path]:
    """Settings files at or above ``folder`` that are ignored because others may write to them."""
    found = []
    for place in [folder, *folder.parents]:
        file = place / PROJECT_FILE
        if file.is_file():
            if _is_ours(file) and _is_ours(place):
                break
            found.append(file)
    return found


def _is_ours(path: Path) -> bool:
    """Whether ``path`` is the user's or root's and nobody else may change it. A link counts as what it points to."""
    try:
        found = path.stat()
    except OSError:
        return False
    if not hasattr(os, "geteuid"):
        return True  # Windows: others cannot write to folders by default, and there are no owners to compare.
    is_private_group = found.st_gid == os.getegid() and _is_alone_in(found.st_gid)
    loose = found.st_mode & (stat.S_IWOTH if is_private_group else stat.S_IWOTH | stat.S_IWGRP)
    return found.st_uid in (os.geteuid(), 0) and not loose


def _is_alone_in(gid: int) -> bool:
    """Whether the group is the user's own, as most Linux systems make one for each account."""
    import grp  # noqa: PLC0415 -- not on Windows
    import pwd  # noqa: PLC0415 -- likewise

    try:
        group, user = grp.getgrgid(gid), pwd.getpwuid(os.geteuid())
    except KeyError:  # a container may run as a number without an entry
        return False
    return group.gr_name == user.pw_name and set(group.gr_mem) <= {user.pw_name}


def _read_table(path: Path, allowed: AbstractSet[str]) -> dict[str, Any]:
    """Read a settings file. Unknown keys are refused, and so is a token, which would end up in version control."""
    try:
        table = parse_toml(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read as TOML: {error}") from None
    unknown = sorted(set(table) - allowed)
    if unknown:
        hint = " (a token belongs in `verihub login` or VERIHUB_TOKEN)" if "token" in unknown else ""
        if set(unknown) & (set(ClientSettings.model_fields) - _NEVER_IN_A_FILE):
            hint = " (a project may not choose that for you: write it into your own config.toml)"
        raise UsageError(f"{path} must not have {', '.join(unknown)}{hint}; its keys: {', '.join(sorted(allowed))}")
    return table


def wants_colour() -> bool:
    """False when the NO_COLOR convention asks for none."""
    return not os.environ.get("NO_COLOR")  # noqa: TID251 -- this is the settings module
