"""``verihub doctor``: what this machine lacks, and how to get it."""

import platform
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass

from hub_client.commands.session import Session, open_session
from hub_client.errors import CheckFailedError, HubClientError
from hub_client.execution import examine_host, open_sandbox
from hub_client.requests import accounts, packages
from hub_client.settings import Place


@dataclass(frozen=True)
class Finding:
    """One question and its answer. What is not needed may fail."""

    name: str
    ok: bool
    detail: str
    needed: bool = True


def doctor() -> None:
    """Look at Python, the hub, the token, the sandbox, pip and the cache; exit 6 when something needed is missing."""
    with open_session() as session:
        hub = _hub(session)
        token = _token(session) if hub.ok else Finding("token", False, "not looked at: no hub to ask", needed=False)
        findings = [_python(), hub, token, *_sandbox(session), _pip(), _cache(session)]
        lines = [f"{_mark(item)} {item.name:<8} {item.detail}" for item in findings]
        session.output.result({"findings": [asdict(item) for item in findings]}, human="\n".join(lines))
        missing = dict.fromkeys(item.name for item in findings if item.needed and not item.ok)
        if missing:
            raise CheckFailedError(f"missing here: {', '.join(missing)}; each line above says what to do")


def _mark(finding: Finding) -> str:
    return "ok     " if finding.ok else "MISSING" if finding.needed else "-      "


def _python() -> Finding:
    return Finding("python", sys.version_info >= (3, 11), f"{platform.python_version()} at {sys.executable}")


def _hub(session: Session) -> Finding:
    def answer() -> str:
        found = session.hub.send(packages.search(limit=1)).items
        return f"{session.settings.url} {'has packages' if found else 'is empty'}"

    return _ask("hub", answer)


def _token(session: Session) -> Finding:
    return _ask("token", lambda: f"{session.hub.send(accounts.whoami()).name}'s", needed=False)


def _sandbox(session: Session) -> list[Finding]:
    """Not needed where the hub runs packages."""
    needed = session.settings.run_at is not Place.HUB
    if session.settings.backend == "docker":
        return [
            Finding("sandbox", level != "missing", f"{what}: {advice}" if advice else what, needed=needed)
            for level, what, advice in examine_host()
        ]

    def answer() -> str:
        open_sandbox(session.settings.backend).close()
        return f"{session.settings.backend} answers"

    return [_ask("sandbox", answer, needed=needed)]


def _pip() -> Finding:
    done = subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True, text=True, check=False)
    said = done.stdout.split(" from ")[0] if done.returncode == 0 else "pip is missing: needed to lock dependencies"
    return Finding("pip", done.returncode == 0, said, needed=False)


def _cache(session: Session) -> Finding:
    def answer() -> str:
        with session.hub.cache.scratch() as folder:
            (folder / "probe").write_bytes(b"")
        damaged = session.hub.cache.damaged()
        for path in damaged:
            path.unlink(missing_ok=True)
        removed = f", {len(damaged)} damaged ones removed" if damaged else ""
        return f"{len(session.hub.cache.wheels())} wheels in {session.hub.cache.folder}{removed}"

    return _ask("cache", answer)


def _ask(name: str, answer: Callable[[], str], *, needed: bool = True) -> Finding:
    try:
        return Finding(name, ok=True, detail=answer(), needed=needed)
    except HubClientError as error:
        return Finding(name, ok=False, detail=str(error), needed=needed)
    except OSError as error:
        return Finding(name, ok=False, detail=f"{error.filename or ''}: {error.strerror}", needed=needed)
