"""What every command starts with: settings, output, and a hub that is closed at the end."""

import difflib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from hub_client.client import Hub
from hub_client.errors import HubClientError, NotFoundError, UsageError
from hub_client.releases.resolve import LoadedPackage
from hub_client.settings import ClientSettings, ignored_project_files
from hub_client.terminal.output import Output
from hub_client.transport.requests import packages
from schemas.base import WireModel
from schemas.names import NAME_PATTERN, OWNER_PATTERN, PATTERN_WORDS, near_owner
from schemas.problem import ProblemCode

_PACKAGE = re.compile(rf"({OWNER_PATTERN})/({NAME_PATTERN})")
_COLLECTION_OWNERS = ("lecture", "suites")


@dataclass(frozen=True)
class CommandContext:
    """One command's run."""

    settings: ClientSettings
    output: Output
    hub: Hub


@contextmanager
def open_context(token: str | None = None, judge_model: str | None = None) -> Iterator[CommandContext]:
    """What a command needs. Settings are read once; boxes and connections end with the ``with``, also after Ctrl-C."""
    settings = ClientSettings.load(token=token, judge_model=judge_model)
    output = Output(settings)
    say_who_chose(settings, output)
    with Hub(settings=settings) as hub:
        try:
            yield CommandContext(settings, output, hub)
        except NotFoundError as error:
            if error.problem is not None and error.problem.code == ProblemCode.PACKAGE_NOT_FOUND:
                near = _near_names(hub, str(error))
                hint = f"\n  did you mean {' or '.join(near)}?" if near else _where_it_comes_from(str(error))
                raise NotFoundError(f"{error}{hint}", problem=error.problem) from None
            raise


def _where_it_comes_from(said: str) -> str:
    """Advice for a missing package of the collection: the documents name it, but a new hub does not have it."""
    found = _PACKAGE.search(said)
    if found is None or found[1] not in _COLLECTION_OWNERS:
        return ""
    return "\n  it is one of Verihub's own packages: `verihub serve --with-collection` publishes them on a hub"


def _near_names(hub: Hub, said: str) -> list[str]:
    """Packages on the hub with names similar to the one that was not found."""
    found = _PACKAGE.search(said)
    if found is None:
        return []
    known: dict[str, None] = {}
    try:
        for words in (found[2].replace("-", " "), *found[2].split("-"), ""):
            known.update(dict.fromkeys(card.id for card in hub.send(packages.search(words, limit=100)).items))
    except HubClientError:
        return []
    return difflib.get_close_matches(found[0], known, n=3, cutoff=0.75)


Request = TypeVar("Request", bound=WireModel)


def request_of(kind: type[Request], **values: Any) -> Request:
    """A request made of what the user wrote. Raises :class:`UsageError` that names each value that cannot be sent."""
    try:
        return kind(**values)
    except ValidationError as error:
        said = [f"{fault['loc'][0] if fault['loc'] else 'this'}: {_in_words(fault)}" for fault in error.errors()]
        raise UsageError("; ".join(said)) from None


def _in_words(fault: ErrorDetails) -> str:
    """What is wrong with a value. A failed pattern is explained in words."""
    shape = PATTERN_WORDS.get(fault.get("ctx", {}).get("pattern", ""))
    if not shape:
        return fault["msg"].removeprefix("Value error, ")
    return f"{fault['input']!r} is not {shape}{near_owner(str(fault['input']))}"


def warn_of_author(context: CommandContext, package: LoadedPackage) -> None:
    """Warn if a release is not signed by its author although earlier ones were."""
    if package.author.warning:
        context.output.warn(package.author.warning)


def say_who_chose(settings: ClientSettings, output: Output) -> None:
    """Report a hub that the user did not choose, and settings files that were ignored."""
    if settings.project_url:
        output.remark(f"hub {settings.url}, named by {settings.project_file}")
    for file in ignored_project_files(Path.cwd()):
        output.remark(f"{file} is ignored: somebody else owns it or its folder, or may change them")
