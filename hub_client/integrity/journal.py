"""Follows the journal of one hub: checks proofs that releases are in it, and that it only grows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from hub_client.errors import HubUnreachableError, IntegrityError, NotFoundError, UsageError
from hub_client.integrity.known_hubs import KnownHub, KnownHubs, read_checkpoint
from hub_client.integrity.proofs import KeptProofs
from hub_client.transport.connection import HubConnection
from hub_client.transport.requests import journal as requests
from hub_client.transport.requests.packages import get_package
from schemas.journal.entries import Act, JournalCheckpoint, ReleaseProof, decode, decode_hashes
from schemas.journal.key_chain import keys_after, keys_of_signer
from schemas.journal.merkle import check_consistency, check_inclusion, leaf_hash
from schemas.journal.signing_keys import SigningKey
from schemas.package import Release, Visibility


@dataclass(frozen=True)
class Vouched:
    """What a hub has signed about a release: entry ``position`` of the journal's first ``size``."""

    position: int
    size: int
    origin: str
    key_id: str
    """Of the key that signed the checkpoint."""
    public_since: datetime
    """The entry's time: when the hub published the release, or made its package public."""


class Journal:
    """The journal of one hub. Any contradiction raises :class:`IntegrityError`. Pulling calls ``check_release``."""

    def __init__(
        self, url: str, connection: HubConnection, known: KnownHubs, kept: KeptProofs, *, offline: bool = False
    ) -> None:
        self.url = url
        self._connection = connection
        self._known = known
        self._kept = kept
        self._offline = offline
        self._public: set[str] = set()
        """Packages that a lock proves to be public."""

    def known(self) -> KnownHub | None:
        """What this machine remembers of the hub."""
        return self._known.find(self.url)

    def check_release(self, release: Release, *, needs_proof: bool = False) -> Vouched | None:
        """Prove that the hub's journal names exactly these bytes.

        None for a private package, and if the hub keeps no journal and this machine never saw one. With ``needs_proof``
        these are errors.
        """
        kept = self._kept.find(self.url, release, strict=self._offline or needs_proof)
        # Proofs lie in the cache, keys in the settings' folder: without that folder only the hub can tell its keys.
        is_forgotten = kept is not None and not self._offline and self._known.find(self.url) is None
        proof = self._ask(release) or kept if is_forgotten else kept or self._ask(release)
        if proof is None:
            if needs_proof:
                raise IntegrityError(
                    f"there is no proof that {self.url} published {release.package} {release.version}"
                    + (": pull it once online" if self._offline else ": it keeps no journal, or the package is private")
                )
            return None
        is_new = proof is not kept
        if is_new:
            self._follow(proof.checkpoint)
        vouched = self._check(release, proof)
        if is_new:
            self._kept.keep(self.url, release, proof)
        return vouched

    def _ask(self, release: Release) -> ReleaseProof | None:
        if self._offline:
            return None
        try:
            return self._connection.send(requests.get_release_proof(release.package, release.version))
        except NotFoundError:
            if self._known.find(self.url) is None:
                return None
            if self._is_private(release):
                self._refuse_private(release)
                return None
            raise IntegrityError(
                f"{self.url} keeps a journal of its releases, and {release.package} {release.version} is not in it: "
                f"it must not be used. A hub that is still entering releases from before its journal says so at "
                f"{self.url}/readyz; if this one does not, tell whoever runs it"
            ) from None

    def _is_private(self, release: Release) -> bool:
        """Whether the hub says that the package is private. The journal is public, so it has no private packages."""
        card = self._connection.send(get_package(release.package)).card
        return card.visibility is Visibility.PRIVATE

    def _refuse_private(self, release: Release) -> None:
        """Raise if the package cannot be private. Otherwise a hub could call any package private and serve any bytes.

        A public package never becomes private, so a proof on this machine or in a lock shows that it is public. And
        without a token nobody sees private packages.
        """
        if not self._connection.has_token:
            raise IntegrityError(
                f"{self.url} says that {release.package} is private, and was not told who asks: it would show a "
                "private package to nobody then. It must not be used; tell whoever runs the hub"
            )
        known = self._known.find(self.url)
        notes = self._kept.checkpoints_of(self.url, release.package)
        is_proven = known is not None and any(note.startswith(f"{known.origin}\n") for note in notes)
        if is_proven or release.package in self._public:
            raise IntegrityError(
                f"{self.url} says that {release.package} is private, and its journal has named a release of it: a "
                "public package never becomes private. It must not be used; tell whoever runs the hub"
            )

    def _check(self, release: Release, proof: ReleaseProof) -> Vouched:
        known = self._known.find(self.url)
        if known is None:
            raise IntegrityError(f"nothing is remembered of the keys of {self.url}: pull once online, or use a lock")
        entry = known.open_envelope(proof.envelope)
        named = (entry.act, entry.package, entry.version, f"sha256:{entry.sha256}")
        if named != (Act.PUBLISH, release.package, release.version, release.digest):
            raise IntegrityError(
                f"{self.url} says that {release.package} {release.version} is {release.digest}, and its journal says "
                f"{entry.act} {entry.package} {entry.version} {named[3]}: tell whoever runs the hub"
            )
        signed, checkpoint = read_checkpoint(proof.checkpoint)
        signer = next((key for key in known.keys if key.has_signed(signed)), None)
        if signer is None or checkpoint.origin != known.origin:
            raise IntegrityError(f"a root of the journal of {self.url} is not signed by a key of this hub")
        try:
            leaf = leaf_hash(decode(proof.envelope.payload))
            check_inclusion(leaf, proof.position, checkpoint.size, decode_hashes(proof.hashes), checkpoint.root)
        except ValueError as error:
            raise IntegrityError(f"the journal of {self.url} is not sound: {error}") from None
        return Vouched(proof.position, checkpoint.size, checkpoint.origin, signer.id, entry.at)

    def trust(self, keys: Sequence[str], note: str, public: Iterable[str] = ()) -> None:
        """Trust the keys and the root that a lock names, if nothing is known of the hub yet. Otherwise compare them
        with what is known. ``public``: packages that the lock found proven, which the hub cannot call private then.
        """
        self._public.update(public)
        with self._known.locked(self.url):
            if self._known.find(self.url) is None:
                self._known.remember(self.url, KnownHub.parse("".join(f"{key}\n" for key in keys) + "\n" + note))
                return
        self._follow(note)

    def follow(self, note: str) -> KnownHub:
        """Check and remember a new checkpoint of the hub. Returns what this machine then knows of the hub."""
        self._follow(note)
        known = self._known.find(self.url)
        assert known is not None, "what was followed is remembered"
        return known

    def _follow(self, note: str) -> None:
        """Check and remember a checkpoint. Raises :class:`IntegrityError` if the journal was shortened, or is another
        one.
        """
        with self._known.locked(self.url):
            known = self._known.find(self.url)
            signed, checkpoint = read_checkpoint(note)
            if known is None:
                keys = keys_of_signer(signed, checkpoint.origin, self._listed_keys())
                if not keys:
                    raise IntegrityError(f"the root of the journal of {self.url} is signed by none of its keys")
                self._known.remember(self.url, KnownHub(keys, note))
                return
            if checkpoint.origin != known.origin:
                raise IntegrityError(
                    f"{self.url} has the journal {checkpoint.origin}, and this machine knows it as {known.origin}: "
                    f"this is another hub. If that is right, delete {self._known.path(self.url)}"
                )
            keys = known.keys
            if not any(key.has_signed(signed) for key in keys):
                keys = (*keys, *keys_after(keys[-1], self._listed_keys()))
            signer = next((key for key in keys if key.has_signed(signed)), None)
            if signer is None:
                raise IntegrityError(
                    f"{self.url} signs with a key that no key known here has named. If whoever runs the hub changed "
                    f"it without `verihub admin rotate-key`, and says so, delete {self._known.path(self.url)}"
                )
            is_compared = self._compare(known.checkpoint, checkpoint)
            if is_compared and signer == keys[-1] and checkpoint.size >= known.checkpoint.size:
                self._known.remember(self.url, KnownHub(keys, note))

    def _compare(self, known: JournalCheckpoint, fresh: JournalCheckpoint) -> bool:
        """Raise unless one of the two journals is the beginning of the other. Returns False if that cannot be checked
        offline.

        In that case the known one is kept: the other may belong to a fork, and would replace the evidence for it.
        """
        old, new = sorted((known, fresh), key=lambda one: one.size)
        hashes: list[str] = []
        if 0 < old.size < new.size:
            if self._offline:
                return False
            try:
                hashes = self._connection.send(requests.get_consistency(old.size, new.size)).hashes
            except (UsageError, NotFoundError):
                raise self._changed_past(known, "its journal is shorter now") from None
        try:
            check_consistency(old.size, new.size, old.root, new.root, decode_hashes(hashes))
        except ValueError as error:
            raise self._changed_past(known, str(error)) from None
        return True

    def _changed_past(self, known: JournalCheckpoint, why: str) -> IntegrityError:
        return IntegrityError(
            f"{self.url} has changed its past: this machine saw a journal of {known.size} entries that is not the "
            f"beginning of the present one ({why}). Nothing of it is used. If whoever runs the hub has restored an "
            f"older backup, and says so, delete {self._known.path(self.url)}"
        )

    def _listed_keys(self) -> list[SigningKey]:
        if self._offline:
            raise HubUnreachableError(f"the keys of {self.url} are not known here, and --offline forbids asking")
        return self._connection.send(requests.list_keys()).items
