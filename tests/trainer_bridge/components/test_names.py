"""Names are read off the source; they are the ones that the classes have."""

import dataclasses

import pytest

from trainer_bridge.components.names import component_parameters, refuse_unknown
from trainer_bridge.components.registry import COMPONENTS
from trainer_bridge.errors import RecipeError


def test_the_source_and_the_classes_have_the_same_names():
    classes = {
        kind: {name: tuple(field.name for field in dataclasses.fields(one)) for name, one in components.items()}
        for kind, components in COMPONENTS.items()
    }
    assert component_parameters() == classes


def test_an_unknown_component_and_an_unknown_parameter_are_refused_with_the_nearest():
    known = {"clip": ("epsilon",)}
    refuse_unknown("surrogate", "clip", ["epsilon"], known)
    with pytest.raises(RecipeError, match="no component 'clp'; did you mean 'clip'"):
        refuse_unknown("surrogate", "clp", [], known)
    with pytest.raises(RecipeError, match="no parameter 'epsilonn'; did you mean 'epsilon'"):
        refuse_unknown("surrogate", "clip", ["epsilonn"], known)
