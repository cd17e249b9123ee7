"""What everything that crosses a process boundary has in common."""

import importlib
import pkgutil
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import Field, ValidationError

import schemas
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


def _all_models(model: type[WireModel] = WireModel) -> Iterator[type[WireModel]]:
    for child in model.__subclasses__():
        if child.__module__.startswith("schemas."):
            yield child
        yield from _all_models(child)


for _module in pkgutil.walk_packages(schemas.__path__, "schemas."):
    importlib.import_module(_module.name)
MODELS = sorted(
    (model for model in set(_all_models()) if not model.__pydantic_generic_metadata__["args"]),
    key=lambda model: (model.__module__, model.__name__),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_model_says_what_it_is_and_takes_nothing_but_an_object(model: type[WireModel]) -> None:
    assert model.__doc__
    for other in (None, [], "text", 7, [[]]):
        with pytest.raises(ValidationError):
            model.model_validate(other)
    assert set(model.model_json_schema()["properties"]) >= {
        field.alias or name for name, field in model.model_fields.items()
    }


@settings(max_examples=5)
@given(st.data())
def test_whatever_a_peer_sends_in_a_field_is_taken_or_refused_and_never_a_crash(data: st.DataObject) -> None:
    for model in MODELS:
        names = [field.alias or name for name, field in model.model_fields.items()]
        sent = data.draw(st.dictionaries(st.sampled_from(names), JSON, max_size=3))
        for reader in (model.model_validate, model.read):
            try:
                found = reader(sent)
            except ValidationError:
                continue
            assert model.model_validate_json(found.model_dump_json()) == found
