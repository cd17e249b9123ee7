"""Chooses the adapters: makes the hub's services from settings. No other module names an adapter."""

import contextlib
import os
import time
from importlib.util import find_spec
from pathlib import Path

from sqlalchemy.exc import OperationalError

from hub_server.adapters.checked_http import CheckedHttp
from hub_server.adapters.child_wheel_inspector import ChildWheelInspector
from hub_server.adapters.ed25519_signer import Ed25519Signer
from hub_server.adapters.keyless_signer import KeylessSigner
from hub_server.adapters.local_wheel_cache import LocalWheelCache
from hub_server.adapters.log_mailer import LogMailer
from hub_server.adapters.mcp_tool_server import McpToolServer
from hub_server.adapters.object_blob_store import ObjectBlobStore
from hub_server.adapters.oidc_identity_provider import OidcIdentityProvider
from hub_server.adapters.sandbox_executor import SandboxExecutor
from hub_server.adapters.sandbox_exporter import SandboxExporter
from hub_server.adapters.smtp_mailer import SmtpMailer
from hub_server.adapters.synced import sync_to_disk
from hub_server.adapters.system_clock import SystemClock
from hub_server.adapters.tantivy_search_index import TantivySearchIndex
from hub_server.database.engine import Database
from hub_server.database.schema_steps import upgrade
from hub_server.errors import InvalidRequestError, StorageUnavailableError
from hub_server.journal.actions import find_followed, follow
from hub_server.kernel.services import Services
from hub_server.ports.blob_store import BlobStore
from hub_server.ports.clock import Clock
from hub_server.ports.identity_provider import IdentityProvider, NoIdentityProvider
from hub_server.ports.mailer import Mailer
from hub_server.ports.tool_server import NoToolServer, ToolServer
from hub_server.settings import LimitSettings, ServerSettings

_LEFT_OVER_SECONDS = 6 * 3600  # longer than an upload can take


def wire(settings: ServerSettings) -> Services:
    """A hub's services, its database at the newest step.

    Raises ``StorageUnavailableError``, with what to do, when data folder, database or blob store cannot be used.
    A sandbox that is away is no error: the hub serves, and audits wait.
    """
    try:
        settings.data.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageUnavailableError(
            f"The data folder {settings.data} cannot be made ({error.strerror}): name another with --data."
        ) from error
    mailer = open_mailer(settings)
    outgoing = CheckedHttp(settings.outgoing.allowed_networks, settings.outgoing.seconds)
    _sweep(settings.data)
    blobs = open_blobs(settings.blobs_url)
    blobs.check()
    database = open_database(settings)
    settings = as_mirror(settings, database)
    signer = KeylessSigner() if settings.mirror.of else open_signer(settings)
    executor = SandboxExecutor(settings.sandbox, settings.judge)
    clock = SystemClock()
    return Services(
        settings=settings,
        database=database,
        blobs=blobs,
        wheels=LocalWheelCache(blobs, settings.data.absolute() / "wheels"),
        inspector=ChildWheelInspector(settings.limits),
        executor=executor,
        search=TantivySearchIndex(settings.search_folder),
        clock=clock,
        signer=signer,
        exporter=SandboxExporter(),
        tools=_open_tools(executor, settings.limits),
        mailer=mailer,
        identities=open_identities(settings, clock),
        outgoing=outgoing,
    )


def as_mirror(settings: ServerSettings, database: Database) -> ServerSettings:
    """The settings with the hub that this data folder mirrors, if it does: once a mirror, it stays one.

    Raises ``InvalidRequestError`` where a hub of its own is told to become one.
    """
    wanted = settings.mirror.of
    with database.reading() as session:
        followed = find_followed(session)
        known = followed.url if followed is not None else ""
    if wanted and wanted != known:
        with database.writing(even_if_read_only=True) as session:
            follow(session, wanted)
    if wanted or not known:
        return settings
    return settings.model_copy(update={"mirror": settings.mirror.model_copy(update={"of": known})})


def open_blobs(url: str) -> BlobStore:
    """The blobs in a folder or an object store; a folder is made."""
    return ObjectBlobStore(url)


def _open_tools(executor: SandboxExecutor, limits: LimitSettings) -> ToolServer:
    """Tools for models, where the protocol's library is installed."""
    if find_spec("mcp") is None:
        return NoToolServer()
    return McpToolServer(executor, limits)


def open_identities(settings: ServerSettings, clock: Clock) -> IdentityProvider:
    """The identity providers that the operator names; none without."""
    issuers = settings.trusted_publishing.issuers
    return OidcIdentityProvider(issuers, clock) if issuers else NoIdentityProvider()


def open_mailer(settings: ServerSettings) -> Mailer:
    """SMTP where a server is named, else the log. Raises ``InvalidRequestError`` where a setting is missing.

    A link in a mail begins with the hub's own address. A request's ``Host`` must not choose it: whoever asks for
    another person's mail would then choose where its secret goes.
    """
    if not settings.mail.host:
        return LogMailer()
    if not settings.public_url or not settings.mail.sender:
        raise InvalidRequestError(
            "Mail needs two more settings: VERIHUB_SERVER_PUBLIC_URL, with which its links begin, and "
            "VERIHUB_SERVER_MAIL__SENDER, the address that it comes from."
        )
    return SmtpMailer(settings.mail)


def open_signer(settings: ServerSettings) -> Ed25519Signer:
    """The key that signs, made at the first start. Raises ``StorageUnavailableError``."""
    return Ed25519Signer(settings.signing_key or _own_key(settings), make=settings.signing_key is None)


def open_following_signer(settings: ServerSettings, given: Path | None) -> Ed25519Signer:
    """The key to go on with: ``given``, or one made beside the present one. Raises ``StorageUnavailableError``."""
    return Ed25519Signer(given or _following_key(settings), make=given is None)


def put_following_key_in_place(settings: ServerSettings) -> None:
    """The key that was made to go on with becomes the hub's own; the former one is gone."""
    os.replace(_following_key(settings), _own_key(settings))  # noqa: PTH105 -- in one step
    sync_to_disk(_own_key(settings).parent)


def _own_key(settings: ServerSettings) -> Path:
    return settings.data.absolute() / "keys" / "signing.pem"


def _following_key(settings: ServerSettings) -> Path:
    return settings.data.absolute() / "keys" / "following.pem"


def _sweep(data: Path) -> None:
    """Delete temporary files of processes that were killed: those older than an upload can take."""
    too_old = time.time() - _LEFT_OVER_SECONDS
    for path in (*data.glob("uploads/*.whl"), *data.glob("wheels/*.part")):
        with contextlib.suppress(OSError):  # another process may be faster
            if path.stat().st_mtime < too_old:
                path.unlink()


def open_database(settings: ServerSettings) -> Database:
    """The database, migrated. Raises ``StorageUnavailableError``."""
    storage = settings.storage
    database = Database(
        settings.database_url,
        busy_timeout_seconds=storage.busy_timeout_seconds,
        pool_size=storage.pool_size,
        connection=settings.connection.for_driver(),
    )
    try:
        database.check_encoding()
        upgrade(database)
    except StorageUnavailableError:
        database.close()
        raise
    except OperationalError as error:
        database.close()
        raise StorageUnavailableError(
            f"The database cannot be opened or migrated ({error.orig}): check that it runs, that the address is right, "
            "and that the disk is not full."
        ) from error
    return database
