"""Which Python a package's boxes get, from its metadata alone."""

import pytest

from schemas.wheels.box_python import BOX_PYTHONS, NoBoxPythonError, as_numbers, choose_box_python


@pytest.mark.parametrize(
    ("requires", "python"),
    [
        ("", "3.11"),
        (">=3.11", "3.11"),
        (">=3.9,<4", "3.11"),
        (">=3.11.4", "3.13"),  # Debian's 3.11 is 3.11.2
        (">=3.12", "3.13"),
        (">=3.13", "3.13"),
        ("==3.13.*", "3.13"),
        ("==3.12.*", "3.12"),
        (">=3.12,<3.13", "3.12"),
        ("!=3.11.*", "3.13"),
    ],
)
def test_the_first_that_the_metadata_allows_is_taken(requires: str, python: str) -> None:
    assert choose_box_python(requires) == python


@pytest.mark.parametrize("requires", [">=3.14", "<3.11", "==3.13.0", "==2.7"])
def test_where_none_fits_the_error_names_those_that_there_are(requires: str) -> None:
    with pytest.raises(NoBoxPythonError) as caught:
        choose_box_python(requires)
    assert requires in str(caught.value)
    assert all(python in str(caught.value) for python in BOX_PYTHONS)


def test_what_is_no_specifier_is_said_to_be_none() -> None:
    with pytest.raises(NoBoxPythonError, match="cannot be read"):
        choose_box_python("soon")


def test_a_python_as_numbers() -> None:
    assert as_numbers("3.11") < as_numbers("3.13") == (3, 13)
