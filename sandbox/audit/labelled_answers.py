"""Labelled rollouts that wait: more errors by the word of accounts of standing alone than the other evidence explains.

Whoever reports a run chooses its responses, and two accounts of standing that lie about them could lower a rate by any
number of cases. A limit on the errors alone would flatter a verifier that is really bad. So of the answers on which it
is right as large a share waits as of those on which it is wrong.
"""

import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sandbox.audit.cases import Declared, must_accept
from sandbox.audit.evaluation import Judgement, seen
from schemas.evidence.cases import Origin
from schemas.measures.labelled import most_errors
from schemas.wording import counted


@dataclass(frozen=True)
class Waiting:
    """The labelled rollouts that wait for somebody's confirmation. ``told``: one sentence a side."""

    cases: frozenset[str] = frozenset()
    told: tuple[str, ...] = ()

    def apply(self, judgements: Iterable[Judgement]) -> list[Judgement]:
        """The judgements, of which those that wait are *reported*: run and shown, in no rate."""
        return [
            replace(one, case=one.case.model_copy(update={"origin": Origin.REPORTED}), _seen=[])
            if one.case.id in self.cases
            else one
            for one in judgements
        ]


def find_waiting(judgements: Sequence[Judgement], declared: Declared) -> Waiting:
    """Which of the labelled rollouts among ``judgements`` (those that count, each once) wait."""
    waiting: set[str] = set()
    told = []
    for must in (True, False):
        side = [one for one in judgements if must_accept(one.case, declared) is must]
        labelled = [one for one in side if one.case.origin is Origin.ROLLOUT]
        wrong = [one for one in labelled if one.overall(declared).is_wrong]
        alone = [one for one in wrong if one.case.uncorroborated]
        right = [one for one in labelled if one.case.uncorroborated and not one.overall(declared).is_wrong]
        most = most_errors(seen(side, declared), len(labelled))
        if len(alone) <= most:
            continue
        left = math.ceil(len(right) * (len(wrong) - len(alone)) / len(wrong))
        waiting |= {one.case.id for one in [*alone, *sorted(right, key=_order)[left:]]}
        told.append(_words(must, wrong=len(wrong), labelled=len(labelled), most=most, alone=len(alone)))
    return Waiting(frozenset(waiting), tuple(told))


def _order(judgement: Judgement) -> str:
    """The same order in every audit, which nobody chose: which answers wait must not depend on who came first."""
    return hashlib.sha256(judgement.case.id.encode()).hexdigest()


def _words(must: bool, *, wrong: int, labelled: int, most: int, alone: int) -> str:
    what, does = ("right", "rejects") if must else ("wrong", "accepts")
    more = alone - most
    return (
        f"Of {counted(labelled, 'rollout')} that people labelled {what}, it {does} {wrong}; its other evidence "
        f"explains at most {most}. So {counted(alone, 'label')} wait until {more} more {'is' if more == 1 else 'are'} "
        "confirmed by a moderator, the owner or other people's verifiers."
    )
