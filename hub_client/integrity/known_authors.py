"""Remembers which packages this machine has seen signed by their authors, and by which keys.

Later unsigned releases give a warning.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock
from pydantic import BaseModel, ConfigDict, ValidationError

from hub_client.errors import IntegrityError
from hub_client.files import write_atomically
from hub_client.integrity.journal import Vouched
from hub_client.integrity.known_hubs import hub_file_name
from schemas.journal.authors import is_author_signature
from schemas.journal.signed_note import key_id
from schemas.package import Release

_LOCK_SECONDS = 60  # chosen: others only write a small file


@dataclass(frozen=True)
class AuthorCheck:
    """The result of a check. ``key_id``: the author's key, empty if unsigned. ``warning``: for the user, may be
    empty.
    """

    key_id: str = ""
    warning: str = ""


NO_AUTHOR = AuthorCheck()
"""Unsigned, without a warning."""


class _Known(BaseModel):
    """The keys that signed releases of one package, and the journal entry of the first signed one."""

    model_config = ConfigDict(extra="forbid")

    keys: list[str]
    since: int | None


class KnownAuthors:
    """One file a hub, below the user's settings."""

    def __init__(self, folder: Path, url: str) -> None:
        self.path = folder / "known_authors" / f"{hub_file_name(url)}.json"

    def check(self, release: Release, vouched: Vouched | None) -> AuthorCheck:
        """Check a release against its author's signature and earlier releases, and remember what is new.

        Raises :class:`IntegrityError` for a signature that is not of this release.
        """
        known = self._read().get(release.package)
        position = vouched.position if vouched is not None else None
        name = f"{release.package} {release.version}"
        found = release.author_signature
        if found is None:
            is_later = known is not None and (position is None or known.since is None or position > known.since)
            if known is None or not is_later:
                return NO_AUTHOR
            keys = ", ".join(key_id(key) for key in known.keys)
            return AuthorCheck(warning=f"{name} is not signed by its author, and earlier releases were (key {keys})")
        if not is_author_signature(found, release.package, release.version, release.digest):
            raise IntegrityError(
                f"{name} has a signature of its author that is not of these bytes: it must not be used; tell whoever "
                "runs the hub"
            )
        warning = ""
        if known is not None and found.public_key not in known.keys:
            before = ", ".join(key_id(key) for key in known.keys)
            warning = f"{name} is signed by the key {found.key_id}, and earlier ones were by {before}: ask its author"
        if known is None or found.public_key not in known.keys or _is_earlier(position, known.since):
            self._remember(release.package, found.public_key, position)
        return AuthorCheck(found.key_id, warning)

    def _remember(self, package: str, public_key: str, position: int | None) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with FileLock(self.path.with_suffix(".lock"), timeout=_LOCK_SECONDS):
            every = self._read()
            known = every.get(package, _Known(keys=[], since=position))
            keys = known.keys if public_key in known.keys else [*known.keys, public_key]
            since = position if _is_earlier(position, known.since) else known.since
            every[package] = _Known(keys=keys, since=since)
            data: dict[str, Any] = {name: one.model_dump() for name, one in sorted(every.items())}
            write_atomically(self.path, json.dumps(data, indent=1).encode())

    def _read(self) -> dict[str, _Known]:
        try:
            data = json.loads(self.path.read_bytes())
            return {str(name): _Known.model_validate(one) for name, one in data.items()}
        except FileNotFoundError:
            return {}
        except (ValueError, AttributeError, ValidationError) as error:
            raise IntegrityError(
                f"{self.path}, which remembers authors' keys, is damaged ({type(error).__name__}): restore it, or "
                "delete it to begin anew"
            ) from None


def _is_earlier(position: int | None, since: int | None) -> bool:
    return position is not None and (since is None or position < since)
