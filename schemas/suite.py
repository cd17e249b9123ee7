"""Suites: labelled cases for a family of tasks, and how a verifier declares that it can judge the family."""

from enum import StrEnum

from pydantic import Field, field_validator

from schemas.base import WireModel


class SuiteFamily(StrEnum):
    """What the tasks of a suite ask for. It determines what ``answer`` of a task holds."""

    SHORT_NUMBER = "short-number"
    MATHEMATICS = "mathematics"
    CHOICE = "choice"
    TEXT = "text"
    JSON = "json"
    CODE = "code"
    STDIN_CODE = "stdin-code"
    """Programs that read standard input; ``answer`` lists inputs with outputs, ``info.program`` says how to compare."""
    SQL = "sql"
    INSTRUCTIONS = "instructions"
    TRANSCRIPT = "transcript"
    STATE = "state"
    PREFERENCE = "preference"
    """Two responses, of which one is better: ``info.other`` holds the other."""


class SuiteAdapter(WireModel):
    """How a case of the family is adapted to the verifier. By default it is used unchanged."""

    answer: str = Field(default="answer", pattern=r"^(answer|info\.[A-Za-z_]\w*)$")
    """Where the verifier looks for the answer: ``answer``, or a member of info such as ``info.gold``."""
    response: str = Field(default="{response}", max_length=500)
    """The form of response that the verifier expects, with ``{response}`` once in place of what the model said."""

    @field_validator("response")
    @classmethod
    def _holds_the_response_once(cls, form: str) -> str:
        if form.count("{response}") != 1:  # Without it every case is the same; fifty times, every case is huge.
            raise ValueError("it must hold {response} exactly once")
        return form
