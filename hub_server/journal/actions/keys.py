"""The keys that this hub signs with, and has signed with."""

from hub_server.journal import queries
from hub_server.journal.rules import origin_of
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.journal.signing_keys import SigningKey, SigningKeys


def journal_origin(work: UnitOfWork) -> str:
    """The journal's name."""
    rows = queries.signing_keys(work.session)
    return origin_of(rows[-1].id if rows else work.services.signer.key_id)


def list_signing_keys(work: UnitOfWork) -> SigningKeys:
    """The current key, then every earlier key: what they signed stays checkable after a rotation."""
    signer = work.services.signer
    if work.services.settings.mirror.of:
        return SigningKeys(items=_keys_of_the_other_hub(work))
    rows = {row.id: row for row in queries.signing_keys(work.session)}
    used = rows.pop(signer.key_id, None)
    current = SigningKey(
        id=signer.key_id,
        public_key=signer.public_key,
        first_used_at=used.first_used_at if used is not None else None,
        introduction=used.introduction if used is not None else "",
        is_current=True,
    )
    former = [
        SigningKey(id=row.id, public_key=row.public_key, first_used_at=row.first_used_at, introduction=row.introduction)
        for row in rows.values()
    ]
    return SigningKeys(items=[current, *former])


def _keys_of_the_other_hub(work: UnitOfWork) -> list[SigningKey]:
    followed = queries.find_followed(work.session)
    now_used = followed.key_id if followed is not None else ""
    keys = [
        SigningKey(
            id=row.id,
            public_key=row.public_key,
            first_used_at=row.first_used_at,
            introduction=row.introduction,
            is_current=row.id == now_used,
        )
        for row in queries.signing_keys(work.session)
    ]
    return sorted(keys, key=lambda key: not key.is_current)
