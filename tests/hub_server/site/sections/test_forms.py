"""A form that is refused comes back once, with the reason; one that is taken does not."""

import pytest
from fastapi import Response
from pydantic import BaseModel

from hub_server.errors import ConflictError, PasswordNeededError
from hub_server.site.sections.forms import NOT_SENT, FormRefusal, TypedText, read_fields, send_form, wrong_fields
from schemas.discussions import PostWrite


def show(refusal: FormRefusal) -> Response:
    errors = ";".join(f"{name}={said}" for name, said in refusal.errors.items())
    return Response(f"{refusal.problem}|{errors}", status_code=refusal.status)


def refusing(error: Exception):
    def act() -> Response:
        raise error

    return act


def test_what_is_taken_is_answered_and_not_shown_again() -> None:
    assert send_form(lambda: Response("done", status_code=303), show).status_code == 303


def test_a_refusal_is_shown_with_its_words_and_status() -> None:
    answer = send_form(refusing(ConflictError("Somebody was faster.")), show)
    assert (answer.status_code, answer.body) == (409, b"Somebody was faster.|")


def test_faults_are_shown_beside_their_fields() -> None:
    answer = send_form(refusing(wrong_fields({"name": "too short", "email": "no address"})), show)
    assert (answer.status_code, answer.body) == (422, b"Some fields are not right yet.|name=too short;email=no address")


def test_fields_that_a_model_does_not_take_are_faults_of_the_form() -> None:
    assert read_fields(PostWrite, {"text": "So it is."}).text == "So it is."
    answer = send_form(lambda: Response(read_fields(PostWrite, {"text": " "}).text), show)
    assert answer.status_code == 422
    assert answer.body.startswith(b"Some fields are not right yet.|text=")


def test_a_page_that_needs_a_password_is_not_shown_without_it() -> None:
    with pytest.raises(PasswordNeededError):
        send_form(refusing(PasswordNeededError("Type it.")), show)


def test_a_fault_of_ours_is_no_refusal() -> None:
    with pytest.raises(ZeroDivisionError):
        send_form(refusing(ZeroDivisionError()), show)


def test_a_form_that_was_not_sent_says_nothing() -> None:
    assert (NOT_SENT.problem, dict(NOT_SENT.errors), NOT_SENT.status) == ("", {}, 200)


def test_lines_of_a_text_area_end_as_they_do_in_files() -> None:
    class Form(BaseModel):
        text: TypedText = ""

    assert Form(text="one\r\ntwo\r\n\r\nthree").text == "one\ntwo\n\nthree"
    assert Form(text="a\rb\n").text == "a\rb\n", "a browser sends no other pair"
