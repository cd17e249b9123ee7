"""Forms that come back: a form that is refused is shown again, with the reason and everything that was typed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from fastapi import Response

from hub_server.errors import HubServerError, InvalidRequestError, PasswordNeededError
from schemas.problem import ProblemPart


@dataclass(frozen=True)
class FormRefusal:
    """Why a form comes back."""

    problem: str = ""
    """A sentence above the form."""
    errors: Mapping[str, str] = field(default_factory=dict)
    """Field -> what is wrong with it."""
    status: int = 200


NOT_SENT = FormRefusal()
"""For the empty form."""


def wrong_fields(errors: Mapping[str, str]) -> InvalidRequestError:
    """The error to raise for a form of which some fields (name -> what is wrong) cannot be used."""
    parts = [ProblemPart(pointer=name, message=said) for name, said in errors.items()]
    return InvalidRequestError("Some fields are not right yet.", errors=parts)


def send_form(act: Callable[[], Response], show: Callable[[FormRefusal], Response]) -> Response:
    """The answer of ``act``; where it refuses, the form again.

    ``show`` opens a transaction of its own, since that of ``act`` is rolled back. A page that needs a password first is
    not shown again: whoever asks is sent to where it is typed.
    """
    try:
        return act()
    except PasswordNeededError:
        raise
    except HubServerError as error:
        errors = {part.pointer: part.message for part in error.errors if part.pointer}
        return show(FormRefusal(error.detail, errors, error.status))
