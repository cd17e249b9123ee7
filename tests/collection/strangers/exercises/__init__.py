r"""Answers to exercises of a first year of study, made by a seed: kinds that neither textbook answers nor suites have.

Written and committed before its author had read a line of the verifier. As there, **nobody typed a label**: beside each
text stands the value that it means, worked out by Python.
"""

from tests.collection.strangers.exercises import analysis, discrete, quantities
from tests.collection.strangers.exercises.kinds import KINDS, ROWS, SEED, cases

__all__ = ["KINDS", "ROWS", "SEED", "analysis", "cases", "discrete", "quantities"]
