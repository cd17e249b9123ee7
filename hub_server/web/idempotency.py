"""``Idempotency-Key``: a POST with a key has its effect once, however often it is sent."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, TypeVar

from fastapi import Depends, Header, Request

from hub_server.database import idempotency
from hub_server.errors import InvalidRequestError
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.base import WireModel

Model = TypeVar("Model", bound=WireModel)
_MAX_KEY = 200  # chosen: clients send a UUID


@dataclass(frozen=True)
class IdempotencyKey:
    """A request's key (None without one), and a hash of what it asks for."""

    key: str | None
    request_hash: str

    def answer(self, work: UnitOfWork, model: type[Model], make: Callable[[], Model]) -> Model:
        """What ``make`` returns, kept in this transaction; for a request that came before, what was kept."""
        if self.key is None or work.caller is None:
            return make()
        account = work.caller.account_id
        kept = idempotency.find_answer(work.session, account, self.key, self.request_hash, work.now)
        if kept is not None:
            return model.read(kept)
        fresh = make()
        idempotency.keep_answer(
            work.session, account, self.key, self.request_hash, fresh.model_dump(mode="json"), work.now
        )
        return fresh


async def get_idempotency_key(
    request: Request,
    idempotency_key: Annotated[
        str | None, Header(description="Send the same key to retry without doing it twice.")
    ] = None,
) -> IdempotencyKey:
    """The request's key, bound to its method, path and body."""
    if idempotency_key is not None and not 1 <= len(idempotency_key) <= _MAX_KEY:
        raise InvalidRequestError(f"Idempotency-Key must be 1 to {_MAX_KEY} characters.")
    content = hashlib.sha256(f"{request.method} {request.url.path}\n".encode())
    content.update(await request.body())
    return IdempotencyKey(idempotency_key, content.hexdigest())


IdempotencyKeyDep = Annotated[IdempotencyKey, Depends(get_idempotency_key)]
