"""``verihub serve --with-collection``: publishes the first-party packages on this hub, as their authors would, and the
lists of them (``collection/lists``).
"""

import contextlib
import os
import secrets
import subprocess
import sys
import tempfile
import threading
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hub_server.accounts import actions as accounts
from hub_server.accounts.queries import accounts as account_queries
from hub_server.catalog import actions as catalog
from hub_server.collections import actions as collections
from hub_server.database.read_only import read_only_reason
from hub_server.kernel.caller import operator
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import AccountCreate, Scope, TokenCreate

FOLDER = Path(__file__).parents[1] / "collection"
_ACCOUNTS = "collection_accounts.txt"
"""In the data folder: the accounts that this module made. Whoever else has such a name keeps it and gets no package."""
_PUBLISH_SECONDS = 600.0  # chosen, not measured
_SAYS = "verihub: "
_LOOK_SECONDS = 0.2
Say = Callable[[str], None]


@dataclass(frozen=True)
class FirstParty:
    """A package or a list that is sent as its owner would send it: ``verihub`` with ``command``."""

    id: str
    command: tuple[str, ...]

    @property
    def owner(self) -> str:
        """The account that it belongs to."""
        return self.id.partition("/")[0]


@dataclass(frozen=True)
class CollectionProject:
    """One package of the collection, not yet packed."""

    folder: Path
    package: str
    version: str
    kind: str
    asks_model: bool

    @property
    def place(self) -> int:
        """Suites come first: published after a verifier their cases would count as ones that its author could know.

        Benchmarks come last: they name the others.
        """
        return {"suite": 0, "benchmark": 2}.get(self.kind, 1)


def own_accounts(services: Services, folder: Path = FOLDER) -> list[str]:
    """The accounts of the collection, made where they lack: one for suites, as a verifier's own owner cannot publish
    independent evidence for its grade, and one for all else. One that is somebody else's on this hub is left out: what
    the collection counts for must not come to whoever took its name before.
    """
    owners = {one.package.partition("/")[0] for one in projects(folder)} | {one.owner for one in lists(folder)}
    return [owner for owner in sorted(owners) if _is_ours(services, owner)]


def accounts_made(data: Path) -> list[str]:
    """The accounts of the collection that a hub with this data folder has made, at whichever start."""
    ours = data / _ACCOUNTS
    return ours.read_text(encoding="utf-8").split() if ours.exists() else []


def projects(folder: Path = FOLDER) -> list[CollectionProject]:
    """The packages in ``folder``, in the order in which they can be published."""
    found = [_read(file.parent) for file in folder.glob("*/pyproject.toml")]
    return sorted(found, key=lambda project: (project.place, project.package))


def lists(folder: Path = FOLDER) -> list[FirstParty]:
    """The curated lists of the packages in ``folder``."""
    files = sorted(folder.glob("lists/*.toml"))
    ids = [tomllib.loads(file.read_text(encoding="utf-8"))["id"] for file in files]
    return [FirstParty(one, ("collection", "publish", str(file))) for one, file in zip(ids, files, strict=True)]


def _read(folder: Path) -> CollectionProject:
    version = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    manifest = tomllib.loads(next(folder.glob("src/*/verihub.toml")).read_text(encoding="utf-8"))
    return CollectionProject(folder, manifest["id"], version, manifest["kind"], "model" in manifest)


def publish_collection(
    services: Services, address: str, say: Say, stopped: threading.Event, folder: Path = FOLDER
) -> list[str]:
    """Publish what this hub lacks of the collection; returns what could not be published.

    The hub's own command line packs and sends it, so it meets every check that a stranger's packages meet. A package
    that asks a model is left out where this hub offers none. Lists follow, and are sent again with every new package.
    """
    packages = [FirstParty(one.package, ("publish", str(one.folder))) for one in _lacking(services, projects(folder))]
    wanted = packages + [one for one in lists(folder) if packages or not _has_list(services, one)]
    if not wanted:
        return []
    say(f"Publishing the collection: {len(packages)} packages. The hub can be used meanwhile.")
    failed: list[str] = []
    tokens: dict[str, str] = {}
    for one in wanted:
        _wait_for_writes(services, stopped)
        if stopped.is_set():
            return failed
        if one.owner not in tokens:
            tokens[one.owner] = _token_of(services, one.owner)
        if not tokens[one.owner]:
            failed.append(one.id)
        elif reason := _publish_when_writable(services, one, address, tokens[one.owner], stopped):
            failed.append(one.id)
            say(f"{one.id} was not published: {reason}")
    _wait_for_writes(services, stopped)
    for owner, token in tokens.items():
        if token:
            _revoke(services, token)
        else:
            say(f"{owner} is somebody's account on this hub, so the collection's packages of {owner} are left out.")
    say(f"The collection is published ({len(wanted) - len(failed)} of {len(wanted)}, lists included); audits go on.")
    if failed:
        say("The next start with --with-collection tries the others again.")
    return failed


def _wait_for_writes(services: Services, stopped: threading.Event) -> None:
    while _is_read_only(services) and not stopped.wait(_LOOK_SECONDS):
        pass


def _is_read_only(services: Services) -> bool:
    with services.database.reading() as session:
        return read_only_reason(session) is not None


def _publish_when_writable(
    services: Services, one: FirstParty, address: str, token: str, stopped: threading.Event
) -> str:
    """As :func:`_publish`; what was refused because the hub became read-only is sent again once it is writable."""
    while (reason := _publish(one, address, token, stopped)) and _is_read_only(services) and not stopped.is_set():
        _wait_for_writes(services, stopped)
    return reason


def _has_list(services: Services, wanted: FirstParty) -> bool:
    with services.database.reading() as session:
        found = collections.list_collections(UnitOfWork(session, services, operator()), owner=wanted.owner, limit=100)
        return any(one.id == wanted.id for one in found.items)


def _lacking(services: Services, candidates: list[CollectionProject]) -> Iterator[CollectionProject]:
    with services.database.reading() as session:
        work = UnitOfWork(session, services, operator())
        for project in candidates:
            is_there = catalog.find_release(work, project.package, project.version) is not None
            if not is_there and (services.settings.judge.is_offered or not project.asks_model):
                yield project


def _is_ours(services: Services, owner: str) -> bool:
    """Whether this module made the account; it is made if need be, with a password that nobody knows."""
    ours, made = services.settings.data / _ACCOUNTS, accounts_made(services.settings.data)
    password = secrets.token_urlsafe(32)
    hashed = accounts.hash_password(password)
    with services.database.writing() as session:
        if account_queries.find_account(session, owner) is None:
            body = AccountCreate(name=owner, email=f"{owner}@collection.invalid", password=password)
            accounts.add_account(UnitOfWork(session, services, operator()), body, hashed, by_operator=True)
            made.append(owner)
            ours.write_text("\n".join(made) + "\n", encoding="utf-8")
    return owner in made


def _token_of(services: Services, owner: str) -> str:
    """A token for a day; empty where the account is somebody else's."""
    if not _is_ours(services, owner):
        return ""
    with services.database.writing() as session:
        work = UnitOfWork(session, services, operator())
        row = account_queries.find_account(session, owner)
        if row is None:
            return ""
        row.email_confirmed_at = row.email_confirmed_at or work.now  # it is the operator's own
        wanted = TokenCreate(name="serve --with-collection", scopes=[Scope.PUBLISH], expires_days=1)
        return accounts.issue_token(work, row.id, wanted).secret


def _revoke(services: Services, token: str) -> None:
    with services.database.writing() as session:
        accounts.revoke_found_token(UnitOfWork(session, services, operator()), token)


def _publish(wanted: FirstParty, address: str, token: str, stopped: threading.Event) -> str:
    """Why it could not be published; empty when it was.

    The child has an empty configuration folder: with the operator's own it would sign with the operator's author key.
    """
    with tempfile.TemporaryDirectory(prefix="verihub-collection-") as settings:
        return _publish_with(Path(settings), wanted, address, token, stopped)


def _publish_with(settings: Path, wanted: FirstParty, address: str, token: str, stopped: threading.Event) -> str:
    command = [sys.executable, "-m", "hub_client.commands.main", "--url", address, "-q", *wanted.command]
    around = os.environ.items()  # noqa: TID251 -- what a child inherits: no setting, and no secret of the hub's own
    inherited = {name: value for name, value in around if not name.startswith("VERIHUB_")}
    process = subprocess.Popen(
        command,
        env={**inherited, "VERIHUB_TOKEN": token, "VERIHUB_CONFIG_DIR": str(settings)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        for _ in range(int(_PUBLISH_SECONDS / _LOOK_SECONDS)):
            with contextlib.suppress(subprocess.TimeoutExpired):
                _, said = process.communicate(timeout=_LOOK_SECONDS)
                return "" if process.returncode == 0 else _reason_in(said)
            if stopped.is_set():
                break
        process.kill()
    return "the hub was stopped" if stopped.is_set() else f"it took longer than {_PUBLISH_SECONDS:g} s"


def _reason_in(said: str) -> str:
    """The command's last sentence on stderr, with what it advises in lines of its own."""
    lines = [line.strip() for line in said.strip().splitlines()]
    begins = max((number for number, line in enumerate(lines) if line.startswith(_SAYS)), default=len(lines) - 1)
    return "; ".join(lines[max(0, begins) :]).removeprefix(_SAYS) or "no reason was given"
