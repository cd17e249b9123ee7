"""What components may ask of their parameters and of a run."""

import pytest
from pydantic import TypeAdapter, ValidationError

from tests.making.recipes import facts
from trainer_bridge.components.contract import Count, NotNegative, Positive, Share


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [(Positive, 1e-9, 0.0), (NotNegative, 0.0, -1e-9), (Share, 1.0, 1.1), (Share, 0.0, -0.1), (Count, 1, 0)],
)
def test_a_value_out_of_range_is_refused(kind, good, bad):
    assert TypeAdapter(kind).validate_python(good) == good
    with pytest.raises(ValidationError):
        TypeAdapter(kind).validate_python(bad)


def test_a_run_without_audits_knows_of_none():
    assert facts().audits == {}
