"""Compares two verifiers on the same cases, and two releases of one verifier."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from hub_client.audits.plan import judge_cases, tasks_by_id
from hub_client.client import Hub
from hub_client.environments import Verifier
from hub_client.errors import HubUnreachableError, NotFoundError
from hub_client.execution.runner import Runner
from hub_client.transport.pages import all_items
from hub_client.transport.requests import audits
from sandbox.audit.shared_cases import compare_by
from schemas.comparison import SideCases, VerifierComparison
from schemas.evidence.cases import AuditCase, Label
from schemas.evidence.counter_examples import CaseState, CounterExample, holds_back
from schemas.verdict import Verdict

_COMMUNITY = "community:"


def compare_verifiers(
    first: Verifier, second: Verifier, runner: Runner, cases: Sequence[AuditCase] | None = None, *, probes: bool = True
) -> VerifierComparison:
    """Compare both verifiers on ``cases``, or on the labelled cases of both packages and probes made from them."""
    sides = (first, second)
    names = (first.package.reference, second.package.reference)
    if cases is not None:
        compared = [SideCases("given", list(cases), tasks_by_id(first.package, cases, runner))]
    else:
        compared = [_own_cases(side, name, runner) for side, name in zip(sides, names, strict=True)]

    def score(side: int, asked: list[AuditCase]) -> dict[str, Verdict]:
        return judge_cases(sides[side], asked, {}, runner)

    found = compare_by(score, compared, (first.rewards, second.rewards), names, probes=probes)
    return found.model_copy(update={"first_digest": first.package.digest, "second_digest": second.package.digest})


def _own_cases(verifier: Verifier, name: str, runner: Runner) -> SideCases:
    cases = verifier.package.contents.cases()
    return SideCases(name, cases, tasks_by_id(verifier.package, cases, runner))


@dataclass(frozen=True)
class Flip:
    """A fixed case on which two releases disagree.

    Rewards by name; None = not judged, or not declared. ``becomes``: how the verdict as a whole changed with respect to
    the case's label; ``same`` when only a reward changed.
    """

    case: str
    reward: str
    old: float | None
    new: float | None
    becomes: Literal["right", "wrong", "same", "unjudged"] = "same"
    origin: str = "author"


@dataclass(frozen=True)
class CaseReplay:
    """The newer release's verdicts on the older one's cases.

    ``community``: how many of ``replayed`` came from the hub.
    """

    flips: list[Flip]
    replayed: int
    community: int
    held_back_by: list[str]
    """Counter-examples that an earlier release got right and this one gets wrong.

    The hub would keep the release from ``@latest``.
    """


def replay_cases(old: Verifier, new: Verifier, runner: Runner, community: Sequence[CounterExample]) -> CaseReplay:
    """The old release's cases and the community's through both verifiers, rewards that both declare compared."""
    own = old.package.contents.cases()
    others = [one.case.model_copy(update={"id": _COMMUNITY + one.id}) for one in community]
    cases = [*own, *others]
    tasks = tasks_by_id(old.package, cases, runner)
    before, after = judge_cases(old, cases, tasks, runner), judge_cases(new, cases, tasks, runner)
    names = sorted(old.rewards.keys() | new.rewards.keys())
    flips = []
    for case in cases:
        becomes = _becomes(case, before[case.id].accepts(old.rewards), after[case.id].accepts(new.rewards))
        for name in names:
            was, now = before[case.id].rewards.get(name), after[case.id].rewards.get(name)
            if was != now:
                flips.append(Flip(case.id, name, was, now, becomes, str(case.origin)))
    return CaseReplay(flips, len(cases), len(others), _held_back(community, after, new))


def _becomes(case: AuditCase, before: bool | None, after: bool | None) -> Literal["right", "wrong", "same", "unjudged"]:
    if before == after:
        return "same"
    if after is None:
        return "unjudged"
    return "right" if after == (case.label is Label.CORRECT) else "wrong"


def _held_back(community: Sequence[CounterExample], after: dict[str, Verdict], new: Verifier) -> list[str]:
    """Ids of cases that an earlier release got right and that the new one gets wrong or cannot judge."""
    guarded = [one for one in community if one.state in (CaseState.FIXED, CaseState.AGREED) and not one.waits]
    guarded = [one for one in guarded if holds_back(one.counted_by, one.corroborated_by)]
    return [
        one.id
        for one in guarded
        if after[_COMMUNITY + one.id].accepts(new.rewards) != (one.case.label is Label.CORRECT)
    ]


def community_cases(hub: Hub, package: str) -> list[CounterExample]:
    """Every counter-example that a release of ``package`` must face. Empty where the hub does not know the package.

    Raises :class:`HubUnreachableError`.
    """
    try:
        found = all_items(lambda cursor: hub.send(audits.list_cases(package, cursor=cursor)))
    except NotFoundError:
        return []
    return [one for one in found if one.state is not CaseState.REFUTED]


def community_cases_if_reachable(hub: Hub, package: str) -> list[CounterExample] | None:
    """:func:`community_cases`, or None where no hub answers."""
    try:
        return community_cases(hub, package)
    except HubUnreachableError:
        return None
