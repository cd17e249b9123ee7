"""Sends a wheel: a small one within the publish request, a large one in parts, each of which is sent once."""

from collections.abc import Callable
from typing import Protocol, TypeVar

from hub_client.errors import NotFoundError
from hub_client.transport.requests import packages, uploads
from hub_client.transport.requests.call import ApiCall
from schemas.journal.author_signature import AuthorSignature
from schemas.names import digest_of
from schemas.package import PublishReceipt, ReleaseState, Upload, Visibility

SMALL_BYTES = 8 * 2**20
"""Wheels up to this size are sent at once. After a broken connection at most one part is sent again."""

Answer = TypeVar("Answer")


class Sends(Protocol):
    """Sends calls to a hub, such as :class:`~hub_client.client.Hub`."""

    def send(self, call: ApiCall[Answer]) -> Answer: ...


def find_published(hub: Sends, package: str, version: str, digest: str, by: str) -> PublishReceipt | None:
    """What a publish of these bytes would answer, if ``by`` has published them before; else None.

    One small request in place of the bytes, which the hub would inspect once more. Whatever else there may be to say,
    such as that moderators have stopped the release, the hub itself says when it gets the bytes.
    """
    try:
        release = hub.send(packages.get_release(package, version))
    except NotFoundError:
        return None
    is_stopped = release.state is ReleaseState.QUARANTINED  # also where the whole package is, or its owner suspended
    if (release.package, release.digest, release.published_by) != (package, digest, by) or is_stopped:
        return None
    return PublishReceipt(release=release, created=False, url=f"/packages/{package}/releases/{version}")


def publish_wheel(
    hub: Sends,
    wheel: bytes,
    *,
    dry_run: bool = False,
    visibility: Visibility | None = None,
    author: AuthorSignature | None = None,
    sent: Callable[[int, int], None] | None = None,
) -> PublishReceipt:
    """Publish ``wheel``. Parts that arrived in an earlier try, up to a day ago, are not sent again.

    ``sent(arrived, total)`` is called with bytes before each part.
    """
    digest = digest_of(wheel)
    upload = _begun(hub, digest) if len(wheel) > SMALL_BYTES else None
    if upload is None:
        return hub.send(packages.publish(wheel, digest, dry_run=dry_run, visibility=visibility, author=author))
    there = {part.number: part.digest for part in upload.parts}
    starts = range(0, len(wheel), upload.part_bytes)
    if set(there) - set(range(len(starts))):  # parts of another size cannot be continued
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
    """Which parts have arrived; None from an older hub, which takes only whole wheels."""
    try:
        found = hub.send(uploads.get_upload(digest))
    except NotFoundError:
        return None
    return found if found.part_bytes > 0 else None
