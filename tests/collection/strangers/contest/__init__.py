r"""Answers as competitions print them and models write them, made by a seed; kinds that no set before them has.

Written and committed before its author had read a line of the verifier or asked it. The kinds are dealt into two sets by
a digest of their names (``SETS``): the **third** set is for a first look and for correction, the **fourth** is asked once
after the correction.
"""

from tests.collection.strangers.contest import counts, functions, quantities, structures, words
from tests.collection.strangers.contest.kinds import KINDS, SEED, SETS, cases

__all__ = ["KINDS", "SEED", "SETS", "cases", "counts", "functions", "quantities", "structures", "words"]
