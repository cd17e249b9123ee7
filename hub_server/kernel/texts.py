"""Text inside JSON from strangers."""

from typing import Any

from hub_server.errors import InvalidRequestError


def check_text(value: Any, what: str) -> None:
    """Refuse JSON whose texts or keys hold half of a surrogate pair: UTF-8 has no such thing, and no answer shows it.

    A JSON column takes it as an escape, and every page and list that reads the row fails from then on.
    """
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += [*one.keys(), *one.values()]
        elif isinstance(one, list | tuple | set):
            waiting += one
        elif isinstance(one, str):
            try:
                one.encode()
            except UnicodeEncodeError:
                raise InvalidRequestError(f"{what} holds half of a surrogate pair, which is no text.") from None
