"""A fourth list of defects: reported of other libraries after the third list, rebuilt in a few lines.

Written down before any probe was run on it. As in the third list, each verifier exists twice, and differs in the defect
alone.
"""

from scripts.field_study.unseen.defect import Unseen
from scripts.field_study.unseen.fourth import choices, instructions, programs, records, values

LIST: tuple[Unseen, ...] = (
    *choices.LIST,
    *values.LIST,
    *records.LIST,
    *instructions.LIST,
    *programs.LIST,
)
