"""A third list of defects: what was reported of other libraries, each rebuilt as a verifier of a few lines (own code).

The list was written down before any probe was run on it, from public issues, and no family was looked at for it. Each
verifier exists twice: with the defect, and mended. A defect counts as found where an audit that is given right answers
alone shows something of the first that it does not show of the second. So nobody chooses what counts.
"""

from scripts.field_study.unseen import choices, fifth, fourth, instructions, numbers, programs, seventh, sixth, texts
from scripts.field_study.unseen.defect import Unseen

__all__ = ["LIST", "fifth", "fourth", "seventh", "sixth"]

LIST: tuple[Unseen, ...] = (
    *numbers.LIST, *choices.LIST, *texts.LIST, *instructions.LIST, *programs.LIST,
)  # fmt: skip
