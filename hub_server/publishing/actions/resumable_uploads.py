"""A wheel that comes in parts: they are kept in the blob store for a day, whoever serves the next request."""

import hashlib
from datetime import datetime
from typing import IO

from hub_server.database.visibility import EVERYTHING
from hub_server.errors import BlobMissingError, InvalidRequestError
from hub_server.kernel.caller import Caller, require_caller
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.publishing import queries
from hub_server.publishing.actions.publish import refuse_too_many_uploads
from hub_server.publishing.errors import TooManyUploadsError, UploadNotFoundError, WheelTooLargeError
from hub_server.publishing.models import UploadPartRow
from hub_server.publishing.rules import LEAST_SHARE, PART_BYTES, PARTS_KEPT, UNFINISHED_SHARE
from schemas.account import Scope
from schemas.package import Upload, UploadPart


def admit_part(work: UnitOfWork, digest: str) -> Caller:
    """Before a byte is taken: refuse whoever may upload nothing now.

    Raises ``NotAllowedError`` (scope), ``TooManyUploadsError`` (the day's bytes), ``WheelTooLargeError``.
    """
    caller = require_caller(work.caller, Scope.PUBLISH)
    refuse_too_many_uploads(work, caller)
    most = work.services.settings.limits.wheel_bytes
    if queries.bytes_of_parts(work.session, caller.account_id, digest) > most:
        raise WheelTooLargeError(f"A wheel has at most {most} bytes on this hub.")
    return caller


def keep_part(work: UnitOfWork, digest: str, number: int, part: str, size_bytes: int) -> tuple[UploadPart, str]:
    """Note a part whose bytes are stored. The same part again replaces the one before.

    Also returns the digest of bytes that it replaces and that may be needed no more; empty: none.

    Raises ``WheelTooLargeError``; ``InvalidRequestError`` for a part that is too large; ``TooManyUploadsError`` when
    the account's unfinished uploads hold too much.
    """
    caller = require_caller(work.caller, Scope.PUBLISH)
    largest, most = part_bytes(work.services), work.services.settings.limits.wheel_bytes
    if size_bytes > largest:
        raise InvalidRequestError(f"A part has at most {largest} bytes, and this one has {size_bytes}.")
    row = UploadPartRow(
        account_id=caller.account_id, digest=digest, number=number, part=part, size_bytes=size_bytes,
        arrived_at=work.now,
    )  # fmt: skip
    before = queries.put_part(work.session, row)
    if queries.bytes_of_parts(work.session, caller.account_id, digest) > most:
        raise WheelTooLargeError(f"A wheel has at most {most} bytes on this hub.")
    waiting = queries.room_of_parts(work.session, caller.account_id, least_bytes(work.services))
    if waiting > UNFINISHED_SHARE * most:
        raise TooManyUploadsError(
            f"Your unfinished uploads hold {waiting} bytes, more than {UNFINISHED_SHARE * most}: publish or delete "
            "them, or wait a day.",
            retry_after_seconds=3600,
        )
    kept = UploadPart(number=number, size_bytes=size_bytes, digest=part)
    return kept, before if before is not None and before != part else ""


def part_bytes(services: Services) -> int:
    """How much a part may hold here: a part is the body of one request."""
    return min(PART_BYTES, services.settings.limits.body_bytes)


def least_bytes(services: Services) -> int:
    """As how much a part counts at least."""
    return part_bytes(services) // LEAST_SHARE


def read_upload(work: UnitOfWork, digest: str) -> Upload:
    """What has arrived of a wheel; no part if nothing has. Only the caller's own."""
    caller = require_caller(work.caller, Scope.PUBLISH)
    rows = queries.parts_of(work.session, caller.account_id, digest)
    parts = [UploadPart(number=row.number, size_bytes=row.size_bytes, digest=row.part) for row in rows]
    kept = max(row.arrived_at for row in rows) + PARTS_KEPT if rows else None
    return Upload(digest=digest, part_bytes=part_bytes(work.services), parts=parts, kept_until=kept)


def forget_upload(work: UnitOfWork, digest: str) -> None:
    """Give up an upload; its bytes are deleted within the hour. Harmless when there is none."""
    caller = require_caller(work.caller, Scope.PUBLISH)
    queries.expire_parts(work.session, caller.account_id, digest)


def assemble_upload(services: Services, caller: Caller, digest: str, file: IO[bytes]) -> None:
    """Write the parts into ``file``, in their order.

    Raises ``UploadNotFoundError`` when parts are missing; ``InvalidRequestError`` when together they are not the bytes
    of ``digest``.
    """
    with services.database.reading() as session:
        rows = queries.parts_of(session, caller.account_id, digest)
    if [row.number for row in rows] != list(range(len(rows))) or not rows:
        missing = sorted(set(range(rows[-1].number + 1 if rows else 1)) - {row.number for row in rows})
        raise UploadNotFoundError(f"Part {missing[0]} of {digest} has not arrived: send it.")
    found = hashlib.sha256()
    for row in rows:
        try:
            for chunk in services.blobs.stream(row.part):
                found.update(chunk)
                file.write(chunk)
        except BlobMissingError:
            raise UploadNotFoundError(f"Part {row.number} of {digest} is lost: send it again.") from None
    file.flush()
    if f"sha256:{found.hexdigest()}" != digest:
        raise InvalidRequestError(
            f"The {len(rows)} parts are the bytes of sha256:{found.hexdigest()}, not of {digest}: send them again."
        )


def release_parts(services: Services, caller: Caller, digest: str) -> None:
    """The wheel is published: its parts are needed no more."""
    with services.database.writing() as session:
        queries.expire_parts(session, caller.account_id, digest)


def delete_old_parts(services: Services) -> None:
    """Delete parts that nobody waits for any more, rows and bytes. Called by the worker."""
    before = services.clock.now() - PARTS_KEPT
    while True:
        with services.database.reading(sees=EVERYTHING) as session:
            old = queries.old_uploads(session, before)
        if not old:
            return
        for account_id, digest in old:
            _delete_parts(services, account_id, digest, before)


def _delete_parts(services: Services, account_id: str, digest: str, before: datetime) -> None:
    """Bytes go before their rows: a crash between leaves nothing that the next call does not find."""
    with services.database.writing(sees=EVERYTHING) as session:
        queries.exclude_publishes(session)
        parts = queries.take_old_parts(session, account_id, digest, before)
        gone = [part for part in sorted(parts) if not queries.is_needed(session, part)]
        for part in gone:
            services.blobs.delete(part)
    for part in gone:
        services.wheels.forget(part)
