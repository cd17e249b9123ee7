"""``verihub serve`` and ``verihub worker``: the command line finds them by entry point."""

import contextlib
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import typer
import uvicorn
from pydantic import ValidationError

from hub_server.app import create_app
from hub_server.catalog import actions as catalog
from hub_server.errors import HubServerError, StorageUnavailableError
from hub_server.first_party import FOLDER as COLLECTION
from hub_server.first_party import accounts_made, own_accounts, publish_collection
from hub_server.journal_completion import complete_journal
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.mirror_loop import MirrorLoop
from hub_server.ops.head_clock import clocked_protocol
from hub_server.ops.logs import log_to_stderr
from hub_server.ops.sandbox_state import SandboxState
from hub_server.processes import Processes
from hub_server.python_gc import keep_what_is_loaded
from hub_server.settings import ServerSettings
from hub_server.web.hosts import LOOPBACK
from hub_server.wiring import wire
from hub_server.worker import Worker, start_workers
from schemas.hosts import in_url, listen

_UNUSABLE = 8  # as the client's: what is needed does not answer, or cannot be used
_USAGE = 2  # as Click exits for options that cannot be used
_STOP_SECONDS = 5.0  # chosen, not measured


def serve(  # noqa: PLR0913, PLR0917 -- a command's options are its parameters
    host: Annotated[str, typer.Option(help="The address to listen at; 0.0.0.0 means all addresses.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 picks a free one.")] = 8642,
    data: Annotated[Path | None, typer.Option(help="The folder that holds database and blobs.")] = None,
    workers: Annotated[
        int | None, typer.Option(min=0, help="Jobs at a time; 0: only `verihub worker` runs any.")
    ] = None,
    no_worker: Annotated[bool, typer.Option("--no-worker", help="The same as --workers 0.")] = False,
    processes: Annotated[int, typer.Option(min=1, max=64, help="How many processes answer requests.")] = 1,
    moderator: Annotated[list[str] | None, typer.Option(help="An account that may moderate; may be repeated.")] = None,
    public_url: Annotated[
        str | None, typer.Option(help="The URL by which readers reach this hub, if it is another.")
    ] = None,
    with_collection: Annotated[
        bool, typer.Option("--with-collection", help="Publish the first-party packages that the hub lacks.")
    ] = False,
    mirror_of: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Be a read-only mirror of the hub at URL, in a data folder of its own."),
    ] = None,
) -> None:
    """Run a whole hub: pages, API and worker, migrated and ready.

    \b
    Examples:
      verihub serve
      verihub serve --with-collection
      verihub serve --host 0.0.0.0 --data /srv/verihub --no-worker
      verihub serve --processes 4 --workers 2
      verihub serve --mirror-of https://hub.example.org --data /srv/mirror
    """
    settings = _with_loopback_hosts(read_settings(data, moderator, public_url, mirror_of), host)
    if with_collection:
        _make_collections_accounts(settings)
    settings = _with_own_accounts(settings)
    if processes > 1:
        settings = _with_shared_limits(settings)
    jobs = 0 if no_worker else settings.worker.threads if workers is None else workers
    listener = _listen(host, port)
    address = f"http://{_shown_host(host)}:{listener.getsockname()[1]}"
    if processes == 1:
        _serve_here(settings, listener, address, jobs, with_collection=with_collection)
        return

    def serve_one(number: int) -> int:
        """The first process also runs jobs, updates the search index and prints; the others only answer requests."""
        try:
            if number == 0:
                _serve_here(settings, listener, address, jobs, with_collection=with_collection)
            else:
                with wired(settings) as services:
                    _serve_http(services, listener)
        except typer.Exit as refusal:
            return refusal.exit_code
        return 0

    status = Processes(processes, serve_one, say, stop_seconds=settings.stop_seconds + 2 * _STOP_SECONDS).run()
    if status:
        raise typer.Exit(status)


def _serve_here(
    settings: ServerSettings, listener: socket.socket, address: str, jobs: int, *, with_collection: bool
) -> None:
    """A whole hub in this process, until it is told to stop."""
    with wired(settings) as services:
        _say_weakness(services)
        if services.settings.mirror.of:
            _serve_mirror(services, listener, address, jobs, with_collection=with_collection)
            return
        sandbox = SandboxState(services).describe()
        if sandbox != "ok":
            say(f"No code can run yet, so audits wait: {sandbox}")
        if not settings.mail.host:
            say("No mail server (VERIHUB_SERVER_MAIL__HOST): links that set a new password are written to this log.")
        workers = start_workers(services, jobs)
        threading.Thread(target=_catch_up_search_index, args=(services,), name="search-index", daemon=True).start()
        stopped = threading.Event()
        entering = threading.Thread(target=complete_journal, args=(services, say, stopped), name="journal", daemon=True)
        entering.start()
        if with_collection:
            arguments = (services, address, say, stopped)
            threading.Thread(target=publish_collection, args=arguments, name="collection", daemon=True).start()
        if not with_collection and COLLECTION.is_dir() and _has_no_packages(services):
            say(
                "This hub has no packages yet. `verihub serve --with-collection` publishes the first-party ones, which "
                "the documents name, and measures them while it serves."
            )
        say(f"Verihub is at {settings.public_url or address} (data in {settings.data}; Ctrl-C stops it).")
        try:
            _serve_http(services, listener)
        finally:
            stopped.set()
            _stop_workers(services, workers)
            entering.join(_STOP_SECONDS)
    say("Stopped. Nothing is lost: jobs that were under way start again with the next worker.")


def _say_weakness(services: Services) -> None:
    """What the blob store cannot do. A store that went away since it was checked is told by whoever needs it."""
    with contextlib.suppress(StorageUnavailableError):
        if weakness := services.blobs.weakness():
            say(weakness)


def _has_no_packages(services: Services) -> bool:
    with services.database.reading() as session:
        return catalog.count_everything(UnitOfWork(session, services))["packages"] == 0


def _serve_mirror(
    services: Services, listener: socket.socket, address: str, jobs: int, *, with_collection: bool
) -> None:
    """A mirror in this process, until it is told to stop."""
    settings = services.settings
    if with_collection:
        say(f"A mirror of {settings.mirror.of} publishes nothing: leave --with-collection out.")
        raise typer.Exit(_USAGE)
    workers, loop = start_workers(services, max(1, jobs)), MirrorLoop(services)
    loop.start()
    threading.Thread(target=_catch_up_search_index, args=(services,), name="search-index", daemon=True).start()
    where = settings.public_url or address
    say(f"Verihub is at {where} (a mirror of {settings.mirror.of}, data in {settings.data}; Ctrl-C stops it).")
    try:
        _serve_http(services, listener)
    finally:
        loop.stop(_STOP_SECONDS)
        _stop_workers(services, workers)
    say("Stopped. The mirror goes on where it was when it starts again.")


def _serve_http(services: Services, listener: socket.socket) -> None:
    """Answer requests until a signal; those under way then still have ``stop_seconds``."""
    server = uvicorn.Server(_uvicorn_config(services))
    # uvicorn raises the signal again after it has stopped; that is not an error.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    keep_what_is_loaded()
    server.run(sockets=[listener])


def _stop_workers(services: Services, workers: list[tuple[Worker, threading.Thread]]) -> None:
    for worker, _ in workers:
        worker.stop()
    services.executor.close()
    for _, thread in workers:
        thread.join(_STOP_SECONDS)


def worker(
    data: Annotated[Path | None, typer.Option(help="The folder that holds database and blobs.")] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="How many jobs at a time.")] = None,
) -> None:
    """Run jobs (audits, replays) of a hub whose database and blobs this process can reach.

    \b
    Examples:
      verihub worker --data /srv/verihub --threads 4
    """
    settings = _with_own_accounts(read_settings(data, None, None))
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    with wired(settings) as services:
        workers = start_workers(services, threads or settings.worker.threads)
        say(f"Working for the hub in {settings.data} (Ctrl-C stops it).")
        stopped.wait()
        _stop_workers(services, workers)
    say("Stopped. Jobs that were under way start again with the next worker.")


def _with_loopback_hosts(settings: ServerSettings, host: str) -> ServerSettings:
    """On a loopback address answer to its names alone: no page that a browser shows can point another name here."""
    if settings.hosts or host not in LOOPBACK:
        return settings
    public = urlsplit(settings.public_url).hostname
    return settings.model_copy(update={"hosts": [*LOOPBACK, *([public] if public else [])]})


def _with_shared_limits(settings: ServerSettings) -> ServerSettings:
    """With rate limits that hold for all processes together, unless the operator has chosen."""
    if settings.limits.shared is not None:
        return settings
    return settings.model_copy(update={"limits": settings.limits.model_copy(update={"shared": True})})


def _make_collections_accounts(settings: ServerSettings) -> None:
    """The collection's own accounts. A mirror has none, and says so later."""
    if not COLLECTION.is_dir():
        say(
            "This installation has no collection beside it: install Verihub from its source, or take packages from "
            "another hub (verihub copy lecture --from URL)."
        )
        raise typer.Exit(_UNUSABLE)
    if not settings.mirror.of:
        with wired(settings) as services:
            own_accounts(services)


def _with_own_accounts(settings: ServerSettings) -> ServerSettings:
    """With the accounts that some start with the collection has made among those whom the operator named.

    Every start and every worker counts them: grades must not depend on which process measured.
    """
    named = [*settings.suite_owners, *accounts_made(settings.data)]
    return settings.model_copy(update={"suite_owners": list(dict.fromkeys(named))})


def read_settings(
    data: Path | None, moderators: list[str] | None, public_url: str | None, mirror_of: str | None = None
) -> ServerSettings:
    """Argument > environment > default."""
    given = {"data": data, "moderators": moderators or None, "public_url": public_url}
    named: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if mirror_of is not None:
        named["mirror"] = {"of": mirror_of}
    try:
        return ServerSettings(**named)
    except ValidationError as error:
        first = error.errors()[0]
        where = "".join(f"{'.'.join(map(str, first['loc']))}: " for _ in first["loc"][:1])
        say(f"A setting cannot be used: {where}{first['msg'].removeprefix('Value error, ').rstrip('.')}")
        raise typer.Exit(_USAGE) from None


@contextlib.contextmanager
def wired(settings: ServerSettings) -> Iterator[Services]:
    """The hub's services. A configuration that cannot be used is reported in one sentence."""
    log_to_stderr(settings.log)
    try:
        services = wire(settings)
    except HubServerError as error:
        say(error.detail)
        raise typer.Exit(_UNUSABLE) from None
    try:
        yield services
    finally:
        services.close()


def _catch_up_search_index(services: Services) -> None:
    """Bring the search index to the newest state, so that the first search need not: after a restore it takes long."""
    with contextlib.suppress(Exception), services.database.reading() as session:  # the first search says what is wrong
        catalog.catch_up(UnitOfWork(session, services), patience_seconds=catalog.WHOLE_INDEX_SECONDS)


def _listen(host: str, port: int) -> socket.socket:
    try:
        return listen(host, port)
    except OSError as error:
        where = f"{in_url(host)}:{port}"
        say(f"Cannot listen at {where} ({os.strerror(error.errno or 0)}): name another with --port or --host.")
        raise typer.Exit(_USAGE) from None


def _uvicorn_config(services: Services) -> uvicorn.Config:
    return uvicorn.Config(
        create_app(services),
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=max(1, round(services.settings.stop_seconds)),
        lifespan="off",
        http=clocked_protocol(services.settings.limits.head_seconds),
        proxy_headers=bool(services.settings.trusted_proxies),
        forwarded_allow_ips=services.settings.trusted_proxies,
        ws_max_size=services.settings.limits.body_bytes,
    )


def _shown_host(host: str) -> str:
    if host in ("0.0.0.0", "::"):  # noqa: S104 -- compared, not bound
        return "localhost"
    return in_url(host)


def say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)  # noqa: T201 -- the command's own words
