"""What everything that crosses a process boundary has in common."""

import pytest
from pydantic import Field, ValidationError

from schemas.base import WireModel
from schemas.manifest import Manifest


class Inner(WireModel):
    number: float = 0.0


class Outer(WireModel):
    inner: Inner = Inner()
    many: list[Inner] = Field(default_factory=list)
    data: bytes = b""
    other_: str = Field(default="", alias="other")


@pytest.mark.parametrize("where", [{"new": 1}, {"inner": {"new": 1}}, {"many": [{"new": 1}]}])
def test_an_unknown_field_is_refused_at_every_depth_and_ignored_by_a_lenient_reader(where) -> None:
    with pytest.raises(ValidationError):
        Outer.model_validate(where)
    assert Outer.read(where) in (Outer(), Outer(many=[Inner()]))


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_numbers_are_finite_for_both_readers(number: float) -> None:
    for reader in (Outer.model_validate, Outer.read):
        with pytest.raises(ValidationError):
            reader({"inner": {"number": number}})


def test_a_lenient_reader_is_lenient_about_nothing_else() -> None:
    with pytest.raises(ValidationError):
        Outer.read({"inner": {"number": "high"}})


def test_what_is_written_is_read_back_under_the_names_of_the_wire() -> None:
    outer = Outer.model_validate({"other": "x", "data": b"\x00\xff"})
    assert outer.model_dump()["other"] == "x"
    assert Outer.model_validate_json(outer.model_dump_json()).other_ == "x"


def test_a_manifest_is_written_as_an_author_writes_it() -> None:
    text = (
        'format = 1\nid = "al/check"\nkind = "verifier"\nverifier = "al_check:verify"\n[rewards.correct]\n'
        '[probes]\nregister = "al_check:probes"\n'
    )
    manifest = Manifest.from_toml(text)
    assert manifest.model_dump(mode="json")["probes"]["register"] == "al_check:probes"
    assert Manifest.model_validate_json(manifest.model_dump_json()) == manifest
