"""Forms that come back: a form that is refused is shown again, with the reason and everything that was typed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, TypeVar

from fastapi import Response
from pydantic import AfterValidator, BaseModel, ValidationError

from hub_server.accounts.errors import SecondFactorNeededError
from hub_server.errors import HubServerError, InvalidRequestError, PasswordNeededError
from schemas.problem import ProblemPart

ModelT = TypeVar("ModelT", bound=BaseModel)
TypedText = Annotated[str, AfterValidator(lambda text: text.replace("\r\n", "\n"))]
"""The text of a text area. Browsers send CR LF at each end of a line, whatever was typed (HTML standard)."""


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


def read_fields(model: type[ModelT], fields: Mapping[str, object]) -> ModelT:
    """The ``model`` of a form's fields. Raises the error of :func:`wrong_fields` for those that it does not take."""
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        raise wrong_fields({str(one["loc"][0]): str(one["msg"]) for one in error.errors()}) from error


def wrong_fields(errors: Mapping[str, str]) -> InvalidRequestError:
    """The error to raise for a form of which some fields (name -> what is wrong) cannot be used."""
    parts = [ProblemPart(pointer=name, message=said) for name, said in errors.items()]
    return InvalidRequestError("Some fields are not right yet.", errors=parts)


def send_form(act: Callable[[], Response], show: Callable[[FormRefusal], Response]) -> Response:
    """The answer of ``act``; where it refuses, the form again.

    ``show`` opens a transaction of its own, since that of ``act`` is rolled back. Where a password or a second
    factor is needed first, the form is not shown again: other pages ask for these.
    """
    try:
        return act()
    except (PasswordNeededError, SecondFactorNeededError):
        raise
    except HubServerError as error:
        errors = {part.pointer: part.message for part in error.errors if part.pointer}
        return show(FormRefusal(error.detail, errors, error.status))
