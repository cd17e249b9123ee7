"""``verihub doctor``: what this machine lacks, and how to get it."""

import importlib
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.util import find_spec

from hub_client.commands.command_context import CommandContext, open_context
from hub_client.errors import CheckFailedError, HubClientError, NotLoggedInError
from hub_client.settings import Place
from hub_client.transport.requests import accounts, packages
from schemas.extras import how_to_install
from schemas.wording import counted

_OLDEST_PYTHON = (3, 11)
_SKEW_SECONDS = 60  # chosen: twice what a hub forgives identity tokens
_CACHE_MB = 512  # eight of the largest wheels that a hub usually takes
# extra -> (a module that it brings, what it is for)
_EXTRAS = {
    "mcp": ("mcp", "`verihub mcp`"),
    "trainer": ("torch", "`verihub train`"),
    "server": ("fastapi", "`verihub serve`"),
    "ray": ("ray", "boxes on a cluster"),
    "parquet": ("pyarrow", "tasks in Parquet files"),
}


@dataclass(frozen=True)
class Diagnosis:
    """One question and its answer. What is not needed may fail."""

    name: str
    ok: bool
    detail: str
    needed: bool = True


def doctor() -> None:
    """Look at Python, the hub, the token, clocks, the sandbox, extras, pip and the cache; exit 6 when something needed
    is missing. Each line says what to do.

    \b
    Examples:
      verihub doctor
      verihub doctor --offline --format json
    """
    with open_context() as context:
        findings = [_python(), *_hub_findings(context), *_sandbox(context), *_extras(context), _pip(), _cache(context)]
        lines = [f"{_mark(item)} {item.name:<8} {item.detail}" for item in findings]
        context.output.result({"findings": [asdict(item) for item in findings]}, human="\n".join(lines))
        missing = dict.fromkeys(item.name for item in findings if item.needed and not item.ok)
        if missing:
            raise CheckFailedError(f"missing here: {', '.join(missing)}; each line above says what to do")


def _mark(finding: Diagnosis) -> str:
    return "ok     " if finding.ok else "MISSING" if finding.needed else "-      "


def _python() -> Diagnosis:
    said = f"{platform.python_version()} at {sys.executable}"
    if sys.version_info >= _OLDEST_PYTHON:
        return Diagnosis("python", True, said)
    return Diagnosis(
        "python", False, f"{said}; 3.11 or newer is needed: install one and make a virtual environment with it"
    )


# -- the hub ---------------------------------------------------------------------------------------------------------


def _hub_findings(context: CommandContext) -> list[Diagnosis]:
    """The hub, whose token is sent, and how far the clocks are apart. Offline, nobody is asked."""
    if context.settings.offline:
        return [Diagnosis("hub", True, "not asked: --offline", needed=False)]
    try:
        found = context.hub.send(packages.search(limit=1)).items
        hub = Diagnosis("hub", True, f"{context.settings.url} {'has packages' if found else 'is empty'}")
        token = _token(context)
    except NotLoggedInError as error:  # a hub that is there, and a token that it does not take
        hub = Diagnosis("hub", True, f"{context.settings.url} answers")
        token = Diagnosis("token", False, str(error))
    except HubClientError as error:
        unasked = "not checked: no hub to ask"
        return [Diagnosis("hub", False, str(error)), Diagnosis("token", False, unasked, needed=False)]
    return [hub, token, *_clock(context)]


def _token(context: CommandContext) -> Diagnosis:
    """Check the token. Reading needs none; with a wrong one every request fails."""
    try:
        return Diagnosis("token", True, f"{context.hub.send(accounts.whoami()).name}'s")
    except NotLoggedInError as error:
        has_one = context.settings.token_to_send() or context.hub.credentials.find(context.settings.url)
        detail = str(error) if has_one else "none: reading works, publishing and running need `verihub login`"
        return Diagnosis("token", False, detail, needed=bool(has_one))
    except HubClientError as error:
        return Diagnosis("token", False, str(error), needed=False)


def _clock(context: CommandContext) -> list[Diagnosis]:
    """Compare the clocks. Reports nothing if they agree, or if the hub does not tell its time."""
    try:
        theirs = context.hub.hub_time()
    except HubClientError:
        return []
    skew = (datetime.now(UTC) - theirs).total_seconds() if theirs is not None else 0.0
    if abs(skew) <= _SKEW_SECONDS:
        return []
    where = "ahead of" if skew > 0 else "behind"
    advice = "tokens and certificates expire by the clock; set the wrong one (timedatectl set-ntp true)"
    return [Diagnosis("clock", False, f"this machine is {abs(skew):.0f} s {where} the hub: {advice}", needed=False)]


# -- this machine ----------------------------------------------------------------------------------------------------


def _sandbox(context: CommandContext) -> list[Diagnosis]:
    """Check the sandbox. It is not needed if the hub runs packages."""
    needed = context.settings.run_at is not Place.HUB
    try:
        execution = importlib.import_module("hub_client.execution.here")
    except ModuleNotFoundError as error:
        detail = f"not installed ({error.name} is missing): {how_to_install('sandbox')}, or let the hub run packages"
        return [Diagnosis("sandbox", False, detail, needed=context.settings.run_at is Place.HERE)]
    if context.settings.backend == "docker":
        return [
            Diagnosis("sandbox", level == "ok", f"{what}: {advice}" if advice else what, needed and level != "warning")
            for level, what, advice in execution.examine_host()
        ]

    def answer() -> str:
        execution.open_runner(context.settings, context.hub.cache).close()
        return f"{context.settings.backend} answers"

    return [_ask("sandbox", answer, needed=needed)]


def _extras(context: CommandContext) -> list[Diagnosis]:
    """What pip can add. Only the sandbox's own is ever needed, and the finding on the sandbox says so."""
    wanted = {"ray"} if context.settings.backend == "ray" else set()
    return [
        Diagnosis(extra, False, f"not installed; for {use}: {how_to_install(extra)}", needed=extra in wanted)
        for extra, (module, use) in _EXTRAS.items()
        if not _is_installed(module)
    ]


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ImportError:
        return False


def _pip() -> Diagnosis:
    # -I: a pip.py in the working folder must not be taken for pip.
    command = [sys.executable, "-I", "-m", "pip", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return Diagnosis("pip", True, done.stdout.split(" from ")[0], needed=False)
    advice = f"missing: needed to lock dependencies; `{sys.executable} -m ensurepip`"
    return Diagnosis("pip", False, advice, needed=False)


def _cache(context: CommandContext) -> Diagnosis:
    def answer() -> str:
        with context.hub.cache.scratch() as folder:
            (folder / "probe").write_bytes(b"")
        damaged = context.hub.cache.damaged()
        for path in damaged:
            path.unlink(missing_ok=True)
        removed = f", {len(damaged)} damaged ones removed" if damaged else ""
        wheels = counted(len(context.hub.cache.wheels()), "wheel")
        return f"{wheels} in {context.hub.cache.folder}{removed}{_room(context)}"

    return _ask("cache", answer)


def _room(context: CommandContext) -> str:
    free = shutil.disk_usage(context.hub.cache.folder).free >> 20
    return f"; only {free} MB are free there: make room, or set VERIHUB_CACHE_DIR" if free < _CACHE_MB else ""


def _ask(name: str, answer: Callable[[], str], *, needed: bool = True) -> Diagnosis:
    try:
        return Diagnosis(name, ok=True, detail=answer(), needed=needed)
    except HubClientError as error:
        return Diagnosis(name, ok=False, detail=str(error), needed=needed)
    except OSError as error:
        advice = "make it writable, or set VERIHUB_CACHE_DIR"
        return Diagnosis(name, ok=False, detail=f"{error.filename or ''}: {error.strerror}; {advice}", needed=needed)
