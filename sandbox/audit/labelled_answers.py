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
from sandbox.audit.evaluation import Judgement, is_host_fault, seen
from schemas.evidence.cases import Origin
from schemas.measures.labelled import most_errors
from schemas.measures.seen import UNJUDGED_ALLOWED, Seen
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
    """Which of the labelled rollouts among ``judgements`` (those that count, each once) wait.

    Answers without a verdict have a limit of their own: beyond a few of them the grade counts them as errors.
    """
    waiting: set[str] = set()
    told = []
    for must in (True, False):
        side = [one for one in judgements if must_accept(one.case, declared) is must]
        for unjudged in (False, True):
            cases, words = _waiting_of(side, declared, must=must, unjudged=unjudged)
            waiting |= cases
            told += [words] if words else []
    return Waiting(frozenset(waiting), tuple(told))


def _waiting_of(side: Sequence[Judgement], declared: Declared, *, must: bool, unjudged: bool) -> tuple[set[str], str]:
    labelled = [one for one in side if one.case.origin is Origin.ROLLOUT]
    wrong = [one for one in labelled if _is_error(one, declared, unjudged=unjudged)]
    alone = [one for one in wrong if one.case.uncorroborated and not one.case.by_owner]
    if not alone:
        return set(), ""
    # The owner's word is good for an error alone: a verifier's own author does not choose which right verdicts count.
    others = [one for one in labelled if one.case.uncorroborated and not _is_error(one, declared, unjudged=unjudged)]
    others = [one for one in others if not (one.case.by_owner and one.overall(declared).is_wrong)]
    # What accounts of standing alone say explains nothing: their counter-examples make no room for their labels.
    known = [one for one in side if one.case.origin is not Origin.ROLLOUT]
    beside = [one for one in known if one.case.by_owner or not one.case.uncorroborated]
    groups, errors = [one.groups for one in labelled], [one.groups for one in alone]
    most = most_errors(_seen_as(beside, declared, unjudged=unjudged), groups, errors)
    if unjudged:
        most = max(most, math.floor(UNJUDGED_ALLOWED * len(labelled)))
    if len(alone) <= most:
        return set(), ""
    left = math.ceil(len(others) * (len(wrong) - len(alone)) / len(wrong))
    held = sorted(others, key=_order)[left:]
    does = "gives no verdict on" if unjudged else "rejects" if must else "accepts"
    said = f"Of {counted(len(labelled), 'rollout')} that people labelled {'right' if must else 'wrong'}, it {does} "
    return {one.case.id for one in [*alone, *held]}, said + _words(len(wrong), most, len(alone), len(held))


def _is_error(judgement: Judgement, declared: Declared, *, unjudged: bool) -> bool:
    outcome = judgement.overall(declared)
    if unjudged:
        return outcome.accepted is None and not is_host_fault(judgement.verdict)
    return outcome.is_wrong


def _seen_as(judgements: Sequence[Judgement], declared: Declared, *, unjudged: bool) -> list[Seen]:
    """The outcomes; with ``unjudged``, whether there was no verdict in the place of whether it was wrong."""
    found = seen(judgements, declared)
    if not unjudged:
        return found
    return [
        replace(
            one,
            outcome=replace(
                one.outcome, accepted=one.outcome.must_accept is not _is_error(of, declared, unjudged=True)
            ),
        )
        for of, one in zip(judgements, found, strict=True)
    ]


def _order(judgement: Judgement) -> str:
    """The same order in every audit, which nobody chose: which answers wait must not depend on who came first."""
    return hashlib.sha256(judgement.case.id.encode()).hexdigest()


def _words(wrong: int, most: int, alone: int, held: int) -> str:
    more = alone - most
    waits, are = "waits" if alone == 1 else "wait", "is" if more == 1 else "are"
    said = (
        f"{wrong}; its other evidence explains at most {most}. So {counted(alone, 'label')} {waits} until {more} more "
        f"{are} confirmed by a moderator, the owner or other people's verifiers."
    )
    return f"{said} As large a share of the others waits with them: {held}." if held else said
