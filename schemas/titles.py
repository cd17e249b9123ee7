"""Titles: one line that somebody wrote."""

from typing import Annotated

from pydantic import StringConstraints

Title = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120, pattern=r"^[^\x00-\x1f\x7f]*$")
]
