"""Writes the reference pages that follow from the code: ``scripts/reference.py`` [--check].

Below docs/reference: commands.md (every command and option), settings.md, http_routes.md, python_api.md (every public
name), files.md (what is in which file), metrics.md (the sandbox's). A test compares them with the code; where it fails,
run this.
"""

import argparse
import inspect
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from pydantic import BaseModel
from pydantic.fields import FieldInfo

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from reference_files import WRITTEN, cell, docstrings, files_page, first, metrics_page, prose  # noqa: E402

import hub_client  # noqa: E402 -- the root must be on the path first
from hub_client.commands.command_list import GROUPS  # noqa: E402
from hub_client.commands.group import load_command  # noqa: E402
from hub_client.settings import ClientSettings  # noqa: E402
from hub_server.app import create_app  # noqa: E402
from hub_server.settings import ServerSettings  # noqa: E402
from hub_server.wiring import wire  # noqa: E402
from sandbox.cluster.settings import ClusterSettings, RaySettings, RemoteSettings  # noqa: E402
from sandbox.images.settings import ImageSettings  # noqa: E402
from sandbox.settings import SandboxSettings  # noqa: E402
from trainer_bridge.settings import TrainSettings  # noqa: E402

PAGES = ROOT / "docs" / "reference"
_BY_MACHINE = {
    "cache_dir": "the user's cache folder",
    "config_dir": "the user's configuration folder",
    "cache": "the user's cache folder",
    "judge_cache_folder": "`judge` in the user's cache folder",
    "cache_folder": "`images` in the user's cache folder",
    "state_folder": "a folder of the user's in the system's temporary folder",
    "boxes_per_package": "the number of cores, at least 2",
    "session_requests": "8 times the number of cores",
}
"""Defaults that differ between machines, in words."""


def main() -> int:
    """Write the pages, or with ``--check`` say which differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="Change nothing; exit 1 where a page is out of date.")
    check = parser.parse_args().check
    stale = [name for name, text in pages().items() if not _is_current(name, text)]
    for name in stale:
        sys.stdout.write(f"docs/reference/{name} {'is out of date' if check else 'written'}\n")
        if not check:
            (PAGES / name).write_text(pages()[name])
    return int(check and bool(stale))


def pages() -> dict[str, str]:
    """Each page's text, by its file's name."""
    return {
        "commands.md": commands_page(),
        "settings.md": settings_page(),
        "http_routes.md": routes_page(),
        "python_api.md": python_page(),
        "files.md": files_page(),
        "metrics.md": metrics_page(),
    }


def _is_current(name: str, text: str) -> bool:
    path = PAGES / name
    return path.is_file() and path.read_text() == text


# -- the command line --------------------------------------------------------------------------------------------------


def commands_page() -> str:
    """Every command with its arguments and options."""
    blocks = [
        "# Commands and their options",
        f"What each `verihub` command takes. How they work together: [the command line](cli.md).\n{WRITTEN}",
        "These may stand anywhere: `--format human|json|quiet`, `-q`, `--offline`, `--url URL`, `--trust-build`.",
    ]
    for title, names in GROUPS.items():
        blocks.append(f"## {title}")
        for name in names:
            blocks += _command_blocks(name, load_command(name))
    return "\n\n".join(blocks) + "\n"


def _command_blocks(name: str, command: Any) -> Iterator[str]:
    parts = getattr(command, "commands", None)
    if parts is not None:
        for part, inner in parts.items():
            yield from _command_blocks(f"{name} {part}", inner)
        return
    context = typer.Context(command, info_name=f"verihub {name}")
    yield f"### verihub {name}"
    yield f"`{' '.join(command.get_usage(context).removeprefix('Usage: ').split())}`"
    text, _, examples = (command.help or "").partition("\b\n")
    yield prose(text)
    if examples:
        yield f"```console\n{_examples(examples)}\n```"
    rows = [row for parameter in command.params if (row := _parameter_row(parameter, context))]
    if rows:
        yield "\n".join(["| argument or option | meaning | default |", "|---|---|---|", *rows])


def _examples(text: str) -> str:
    lines = [line.strip() for line in text.splitlines()]
    return "\n".join(f"$ {line}" for line in lines if line.startswith("verihub"))


def _parameter_row(parameter: Any, context: typer.Context) -> str | None:
    record = parameter.get_help_record(context)
    if record is None:
        return None
    names, said = record
    notes = " ".join(f"{said} ".split())
    text, _, brackets = notes.partition("  [") if "  [" in said else (notes, "", "")
    if not brackets:
        found = re.search(r"\[(?:default|required|env|x|\d).*$", notes)
        text, brackets = (notes[: found.start()], found[0]) if found else (notes, "")
    default = brackets.strip("[] ").removeprefix("default: ")
    return f"| `{cell(' '.join(names.split()))}` | {cell(text.strip())} | {cell(default)} |"


# -- settings ----------------------------------------------------------------------------------------------------------

_FILES = "Also in your own `config.toml`, and partly in a project's `.verihub.toml`"
_HUB = """Read by `verihub serve` and `verihub worker`. Groups are joined by `__`. Lists are JSON:
`VERIHUB_SERVER_MODERATORS='["alice"]'`."""
_SETTINGS = (
    (ClientSettings, "Client and command line", f"{_FILES}: [the command line](cli.md#settings)."),
    (ServerSettings, "Hub", _HUB),
    (SandboxSettings, "Sandbox", "Read wherever boxes are opened: by the client, a hub, and each node."),
    (ImageSettings, "Images of boxes", "Read where boxes are opened on a Docker engine."),
    (RemoteSettings, "Machines that a command reaches", "Read by the program that asks: [many machines][many]."),
    (
        ClusterSettings,
        "Many machines",
        "Read by the program that asks, whichever way its nodes are reached: [many machines][many].",
    ),
    (RaySettings, "A Ray cluster", "Read by the program that asks: [many machines][many]."),
)
_OTHERS = {
    "VERIHUB_MODEL_KEY": "the key of the endpoint of `verihub eval`",
    "NO_COLOR": "no colours on the terminal",
    "DOCKER_HOST": "the Docker engine, where `VERIHUB_SANDBOX_DOCKER_URL` names none",
    "AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`, `AWS_ENDPOINT": (
        "the object store of `VERIHUB_SERVER_STORAGE__BLOBS_URL`"
    ),
}
_TRAINING = """Not environment variables: options of `verihub train`, or `--set NAME=VALUE`, or `TrainSettings`.
[Recipes](recipes.md) have parameters of their own."""


def settings_page() -> str:
    """Every field of every class of settings."""
    blocks = [
        "# Settings",
        f"""Every setting, its environment variable and its default. An argument wins over the
environment, the environment over a file.
{WRITTEN}""",
    ]
    for model, title, text in _SETTINGS:
        blocks += [f"## {title}", text, _settings_table(model, str(model.model_config.get("env_prefix", "")))]
    blocks += ["## Training", _TRAINING, _settings_table(TrainSettings, "")]
    others = [f"| `{name}` | {said} |" for name, said in _OTHERS.items()]
    blocks += ["## Others", "\n".join(["| variable | meaning |", "|---|---|", *others])]
    blocks.append("[many]: ../how_to/many_machines.md")
    return "\n\n".join(blocks) + "\n"


def _settings_table(model: type[BaseModel], prefix: str) -> str:
    head = "variable" if prefix else "name"
    rows = [f"| `{shown}` | {default} | {cell(said)} |" for shown, default, said in _fields(model, prefix)]
    return "\n".join([f"| {head} | default | meaning |", "|---|---|---|", *rows])


def _fields(model: type[BaseModel], prefix: str, made: BaseModel | None = None) -> Iterator[tuple[str, str, str]]:
    """``(variable, default, meaning)`` of each field; ``made`` is the group whose values are the defaults."""
    docs = docstrings(model)
    for name, field in model.model_fields.items():
        if field.exclude:
            continue  # set by the program, not by a person
        if isinstance(field.default, BaseModel):
            group = f"{prefix}{name.upper()}__"
            said = docs.get(name, "")
            yield from (
                (shown, default, f"{said} {text}".strip())
                for shown, default, text in _fields(type(field.default), group, field.default)
            )
        else:
            default = _shown(getattr(made, name)) if made is not None else _default(name, field)
            yield (f"{prefix}{name.upper()}" if prefix else name), default, docs.get(name, "")


def _default(name: str, field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    if field.default_factory is not None:
        made = field.default_factory()  # type: ignore[call-arg]  # takes no data
        return _BY_MACHINE[name] if name in _BY_MACHINE else _shown(made)
    return _shown(field.default)


def _shown(value: Any) -> str:
    if value is None or value in ("", (), [], {}):
        return "–"
    if isinstance(value, bool):
        return "`true`" if value else "`false`"
    return f"`{getattr(value, 'value', value)}`"


# -- HTTP --------------------------------------------------------------------------------------------------------------


def routes_page() -> str:
    """Every path of the OpenAPI document, by its tag."""
    document = openapi()
    by_tag: dict[str, list[str]] = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            (tag,) = operation.get("tags") or ["other"]
            by_tag.setdefault(tag, []).append(_route_row(method, path, operation))
    blocks = [
        "# HTTP paths",
        f"""Every path of the OpenAPI document, which a hub serves at `/api/v1/openapi.json` with all bodies and
answers. What holds for all of them, and which scope a token needs: [the HTTP API](http_api.md).
{WRITTEN}""",
    ]
    for tag, rows in by_tag.items():
        blocks += [f"## {tag.capitalize()}", "\n".join(["| request | does |", "|---|---|", *rows])]
    return "\n\n".join(blocks) + "\n"


def openapi() -> dict[str, Any]:
    """The document of a hub on an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        services = wire(ServerSettings(data=Path(folder) / "data", sandbox={"backend": "local", "trusted": True}))  # type: ignore[arg-type]  # pydantic reads it
        try:
            return create_app(services).openapi()
        finally:
            services.close()


def _route_row(method: str, path: str, operation: dict[str, Any]) -> str:
    query = [item["name"] for item in operation.get("parameters", []) if item["in"] == "query"]
    asked = f" · query: {', '.join(f'`{name}`' for name in query)}" if query else ""
    return f"| `{method.upper()} {path}` | {cell(operation.get('summary', ''))}{asked} |"


# -- Python ------------------------------------------------------------------------------------------------------------


def python_page() -> str:
    """Every public name of ``hub_client``."""
    blocks = [
        "# Python names",
        f"""Everything that `hub_client` exports, from its docstrings. How to use it: [the hub from Python](python.md).
{WRITTEN}""",
    ]
    for name in hub_client.__all__:
        found = getattr(hub_client, name)
        blocks += [f"## {name}", prose(inspect.getdoc(found) or "")]
        rows = [f"| `{cell(shown)}` | {cell(text)} |" for shown, text in _members(found)]
        if rows:
            blocks.append("\n".join(["| name | does |", "|---|---|", *rows]))
    return "\n\n".join(blocks) + "\n"


def _members(found: type) -> Iterator[tuple[str, str]]:
    if issubclass(found, BaseModel):
        return
    for base in found.__mro__:
        if not base.__module__.startswith("hub_client"):
            continue
        for name, member in vars(base).items():
            if name.startswith("_") or (base is not found and name in vars(found)):
                continue
            if isinstance(member, property):
                yield name, first(member.fget.__doc__)
            elif inspect.isfunction(member):
                kind = "async " if inspect.iscoroutinefunction(member) else ""
                yield f"{kind}{name}{_signature(member)}", first(member.__doc__)


def _signature(function: Any) -> str:
    text = str(inspect.signature(function)).replace("(self, ", "(").replace("(self)", "()")
    text = re.sub(r"\b(?:\w+\.)+(?=[A-Za-z]*[A-Z])", "", text)
    return re.sub(r"(: |-> |\[|, )'([A-Z][^']*)'", r"\1\2", text).replace("~", "")


if __name__ == "__main__":
    sys.exit(main())
