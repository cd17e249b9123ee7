"""The Pythons that boxes have, and which of them a package gets."""

from packaging.specifiers import InvalidSpecifier, SpecifierSet

BOX_PYTHONS = {"3.11": "3.11.2", "3.13": "3.13.5", "3.12": "3.12.1"}
"""Python version -> the lowest patch release of it in a base image, in order of preference.

The choice depends on the package alone, so every machine judges it with the same Python. 3.11 and 3.13 come first
because Debian has them; 3.12 needs an image registry, or an image of the operator's own (docs/explanation/images.md).
"""
DEFAULT_PYTHON = next(iter(BOX_PYTHONS))


class NoBoxPythonError(ValueError):
    """No base image has a Python that fits. The message lists the available versions."""


def choose_box_python(requires_python: str) -> str:
    """The Python of a package's boxes, such as ``3.11``: the first of :data:`BOX_PYTHONS` that its metadata allows.

    ``requires_python`` is ``Requires-Python`` of the wheel (PEP 440; empty: any). Raises NoBoxPythonError.
    """
    try:
        wanted = SpecifierSet(requires_python)
        for python, release in BOX_PYTHONS.items():
            if wanted.contains(release, prereleases=True):
                return python
    except InvalidSpecifier as error:
        raise NoBoxPythonError(f"requires-python {requires_python!r} cannot be read: {error}") from None
    known = ", ".join(f"{python} ({release} or newer)" for python, release in sorted(BOX_PYTHONS.items()))
    raise NoBoxPythonError(f"requires-python is {requires_python!r}, and no box has such a Python: there are {known}")


def as_numbers(python: str) -> tuple[int, int]:
    """``3.11`` as (3, 11)."""
    major, minor = python.split(".")
    return int(major), int(minor)
