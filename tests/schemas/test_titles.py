"""Names and titles hold nothing that a terminal obeys or that turns the letters after it round."""

import pytest
from pydantic import TypeAdapter, ValidationError

from hub_client.terminal.plain_text import printable
from schemas.account import DeviceCodeRequest, LoginRequest, OrganizationCreate, Profile, TokenCreate
from schemas.base import WireModel
from schemas.benchmark import ResultsCreate
from schemas.collections import CollectionWrite
from schemas.discussions import DiscussionCreate
from schemas.run import RunCreate
from schemas.titles import Line, Title

HARMFUL = [*map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0)), *"\u061c\u200e\u200f\u2028\u2029\ufeff"]
HARMFUL += [chr(code) for first, last in ((0x202A, 0x202E), (0x2066, 0x2069)) for code in range(first, last + 1)]
RESULTS = {"environment": "a0/b", "environment_version": "1", "outcomes": [{"task_id": "t", "successes": 0}]}
WRITERS = [
    (RunCreate, "name", {}),
    (RunCreate, "model", {"name": "x"}),
    (RunCreate, "kind", {"name": "x"}),
    (RunCreate, "recipe", {"name": "x"}),
    (TokenCreate, "name", {}),
    (LoginRequest, "token_name", {"name": "al", "password": "x"}),
    (DeviceCodeRequest, "client_name", {}),
    (OrganizationCreate, "display_name", {"name": "al"}),
    (CollectionWrite, "title", {}),
    (DiscussionCreate, "title", {"text": "x"}),
    (ResultsCreate, "model", RESULTS),
    (ResultsCreate, "harness", {**RESULTS, "model": "x"}),
]


@pytest.mark.parametrize(("model", "field", "more"), WRITERS)
def test_no_name_enters_that_turns_letters_round_or_holds_a_terminals_escape(
    model: type[WireModel], field: str, more: dict[str, object]
) -> None:
    """`alice\\u202e` showed the rest of its line backwards, and a program's own log obeyed an escape."""
    for letter in HARMFUL:
        with pytest.raises(ValidationError) as found:
            model.model_validate({**more, field: f"a{letter}b"})
        assert f"U+{ord(letter):04X}" in str(found.value), field
    assert model.model_validate({**more, field: "Möße 模型 نموذج مى\u200cخواهم 👩\u200d🔬"})


@pytest.mark.parametrize("letter", HARMFUL)
def test_what_a_name_may_not_hold_is_what_the_command_line_writes_out(letter: str) -> None:
    assert letter in "\t\n" or printable(letter) != letter


def test_the_api_description_says_so() -> None:
    for kind in (Line, Title):
        assert "u202e" in TypeAdapter(kind).json_schema()["pattern"]
    assert TypeAdapter(Title).validate_python("  two words ") == "two words"
    assert TypeAdapter(Title).json_schema()["maxLength"] == 120


@pytest.mark.parametrize(
    "text", ["\u200b", "\u3164\u3164", "\u2800", "\u00ad\u2060", "\U000e0041", "\u0301\u0301", "\u200d \u200d"]
)
@pytest.mark.parametrize(("model", "field", "more"), WRITERS)
def test_no_name_enters_of_which_nothing_can_be_seen(
    model: type[WireModel], field: str, more: dict[str, object], text: str
) -> None:
    """A discussion whose title was U+3164 stood in the list as a link that nobody could see."""
    with pytest.raises(ValidationError):
        model.model_validate({**more, field: text})
    assert model.model_validate({**more, field: f"{text}é"}), "beside a letter they may be needed"


@pytest.mark.parametrize("field", ["display_name", "description"])
def test_what_an_owner_says_of_itself_follows_the_same_rule_once_its_spaces_are_folded(field: str) -> None:
    """A rule of its own refused the joiners that Persian and some emoji need."""
    for letter in HARMFUL:
        if letter.isspace():
            assert getattr(Profile.model_validate({field: f"a{letter}b"}), field) == "a b"
        else:
            with pytest.raises(ValidationError):
                Profile.model_validate({field: f"a{letter}b"})
    assert Profile.model_validate({field: "مى\u200cخواهم 👩\u200d🔬"})
    with pytest.raises(ValidationError):
        Profile.model_validate({field: "\u3164"})
    assert getattr(Profile.model_validate({field: ""}), field) == ""
