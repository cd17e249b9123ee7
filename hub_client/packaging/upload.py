"""Sending a wheel: a small one with the publish itself, a large one in parts that arrive once each."""

from collections.abc import Callable
from typing import Protocol, TypeVar

from hub_client.errors import NotFoundError
from hub_client.transport.requests import packages, uploads
from hub_client.transport.requests.call import ApiCall
from schemas.journal.author_signature import AuthorSignature
from schemas.names import digest_of
from schemas.package import PublishReceipt, Upload, Visibility

SMALL_BYTES = 8 * 2**20
"""Up to here a wheel is sent at once: after a line breaks, as much as one part is sent again."""

Answer = TypeVar("Answer")


class Sends(Protocol):
    """Sends calls to a hub, such as :class:`~hub_client.client.Hub`."""

    def send(self, call: ApiCall[Answer]) -> Answer: ...


def publish_wheel(
    hub: Sends,
    wheel: bytes,
    *,
    dry_run: bool = False,
    visibility: Visibility | None = None,
    author: AuthorSignature | None = None,
    sent: Callable[[int, int], None] | None = None,
) -> PublishReceipt:
    """Publish ``wheel``. What arrived in an earlier try, up to a day ago, is not sent again.

    ``sent`` is told how many bytes of how many have arrived, before each part.
    """
    digest = digest_of(wheel)
    upload = _begun(hub, digest) if len(wheel) > SMALL_BYTES else None
    if upload is None:
        return hub.send(packages.publish(wheel, digest, dry_run=dry_run, visibility=visibility, author=author))
    there = {part.number: part.digest for part in upload.parts}
    starts = range(0, len(wheel), upload.part_bytes)
    if set(there) - set(range(len(starts))):  # the parts had another size then
        hub.send(uploads.forget(digest))
        there = {}
    for number, start in enumerate(starts):
        if sent is not None:
            sent(start, len(wheel))
        part = wheel[start : start + upload.part_bytes]
        if there.get(number) != digest_of(part):
            hub.send(uploads.send_part(digest, number, part))
    return hub.send(packages.publish_upload(digest, dry_run=dry_run, visibility=visibility, author=author))


def _begun(hub: Sends, digest: str) -> Upload | None:
    """What has arrived; None from a hub of an earlier version, which takes whole wheels only."""
    try:
        found = hub.send(uploads.get_upload(digest))
    except NotFoundError:
        return None
    return found if found.part_bytes > 0 else None
