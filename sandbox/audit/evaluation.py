"""Cases with their verdicts: outcomes overall, per reward and per slice, failures, and reasons for missing verdicts."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from sandbox.audit.cases import Declared, must_accept, must_accept_per_reward
from sandbox.audit.similar_cases import content_key, groups_of
from schemas.evidence.audit import Failure
from schemas.evidence.cases import AuditCase, Origin
from schemas.evidence.rates import Measurement, RewardValues
from schemas.judge_model import JudgeCall
from schemas.measures.clusters import Groups
from schemas.measures.confusion import Outcome, measure
from schemas.measures.evidence import has_both
from schemas.measures.seen import FEWEST_ALONE, Seen
from schemas.measures.weighted_sum import sum_range
from schemas.verdict import ErrorKind, Verdict, VerdictError

MAX_TASK_SLICES = 64
"""With more tasks than this, slices by task are left out: each would hold few cases and hide the other slices."""
SHOWN_CHARACTERS = 2000  # chosen: a report holds this for each failure
SHOWN_ERROR_CHARACTERS = 600
"""Most characters of a traceback. Its end is kept, because it says what happened."""

KEY_CHARACTERS = 24
"""Of a case's content key, enough to tell its cases apart in a stored audit."""

SUITE_TAG = "suite:"
"""Begins the tag by which a hub says of a case which suite it comes from."""

TASK_MISSING = "task_missing"
NOT_JUDGED = "not_judged"
VERDICT_CHANGED = "verdict_changed"

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}\b")


@dataclass(frozen=True)
class Judgement:
    """A case, its task and its verdict. ``verdict`` is None when the release has no such task."""

    case: AuditCase
    task: Mapping[str, Any] | None
    verdict: Verdict | None
    groups: Groups = ()
    """What it has in common with other cases: see :func:`sandbox.audit.similar_cases.groups_of`."""
    is_unsteady: bool = False
    """The same bytes judged it differently, in this audit or in an earlier one. It counts as not judged."""
    _seen: list[tuple[Declared, Outcome]] = field(default_factory=list, compare=False, repr=False)

    def overall(self, declared: Declared) -> Outcome:
        """The outcome of the verifier as a whole. Computed once, because a report needs it five times."""
        if self._seen and self._seen[0][0] is declared:
            return self._seen[0][1]
        accepted = None if self.is_unsteady else self.given(declared)
        outcome = Outcome(must_accept(self.case, declared), accepted, self.groups)
        self._seen[:] = [(declared, outcome)]
        return outcome

    def given(self, declared: Declared) -> bool | None:
        """The first verdict, also where it did not stay."""
        return self.verdict.accepts(dict(declared)) if self.verdict is not None else None

    def per_reward(self, declared: Declared) -> dict[str, Outcome]:
        """The outcome for each reward that the case decides."""
        return {
            name: Outcome(must, self.reached(name, declared), self.groups)
            for name, must in must_accept_per_reward(self.case, declared).items()
        }

    def reached(self, name: str, declared: Declared) -> bool | None:
        """Whether a reward reached its threshold; None where it was not given, or did not stay."""
        value = self.verdict.rewards.get(name) if self.verdict is not None and not self.is_unsteady else None
        return None if value is None else value >= declared[name].threshold

    @property
    def reason(self) -> str:
        """Why it, or a part of it, was not judged: the error's kind, or that a reward was null without an error."""
        if self.is_unsteady:
            return VERDICT_CHANGED
        if self.verdict is None:
            return TASK_MISSING
        return str(self.verdict.error.kind) if self.verdict.error is not None else NOT_JUDGED

    @property
    def task_name(self) -> str:
        """The id by which slices and comparisons group cases of one task."""
        return self.case.task_id if self.case.task_id is not None else str((self.task or {}).get("id", "?"))

    @property
    def shown_task(self) -> dict[str, Any]:
        """What a person needs to understand the case: the task's id, question and answer."""
        if self.task is None:
            return {"id": self.case.task_id}
        return {name: self.task[name] for name in ("id", "prompt", "answer") if name in self.task}

    @property
    def shown_response(self) -> str | None:
        """The response, shortened when it is very long."""
        text = self.case.response
        if text is None or len(text) <= SHOWN_CHARACTERS:
            return text
        return f"{text[:SHOWN_CHARACTERS]}… ({len(text)} characters)"


def distinct(judgements: Sequence[Judgement], declared: Declared) -> list[Judgement]:
    """Every case once, with the groups of similar cases it belongs to. Copies add no evidence, whatever their ids.

    The first of several copies counts, and copies that count in no rate are sorted last. Otherwise an account without
    standing could take a suite out of every grade by publishing the suite's cases again. Nor does what accounts of
    standing alone say hide a copy that somebody else has confirmed.
    """
    found = [copies[0] for copies in _copies(judgements, declared)]
    groups = groups_of([(one.case, one.task) for one in found])
    return [replace(one, groups=names, _seen=[]) for one, names in zip(found, groups, strict=True)]


def repeated(judgements: Sequence[Judgement], declared: Declared) -> dict[str, str]:
    """Case that counts in nothing because it repeats another -> the other; what the hub holds is not named."""
    return {
        copy.case.id: first.case.id
        for first, *others in _copies(judgements, declared)
        if first.case.origin is not Origin.HELD
        for copy in others
    }


def _copies(judgements: Sequence[Judgement], declared: Declared) -> list[list[Judgement]]:
    """The judgements of each distinct case, that which counts first."""
    found: dict[str, list[Judgement]] = {}
    for one in sorted(judgements, key=lambda one: (one.case.origin is Origin.REPORTED, one.case.uncorroborated)):
        must = must_accept(one.case, declared)
        found.setdefault(content_key(one.case, one.task, must_accept=must), []).append(one)
    return list(found.values())


def counted(judgements: Iterable[Judgement]) -> list[Judgement]:
    """The cases that the rates count: all except counter-examples that nobody has seconded."""
    return [one for one in judgements if one.case.origin is not Origin.REPORTED]


def confirmed(judgements: Iterable[Judgement]) -> list[Judgement]:
    """Without the counter-examples that accounts of standing alone stand behind. These count in the rates, and never
    make a part that is surely worse: five counter-examples are an F, so one lie beside four true ones would be one.
    """
    return [
        one
        for one in judgements
        if one.case.origin is not Origin.COMMUNITY or one.case.by_owner or not one.case.uncorroborated
    ]


def seen(judgements: Iterable[Judgement], declared: Declared) -> list[Seen]:
    """The outcomes that the grade is computed from, with the origin of each case.

    A counter-example that counts by the owner's word alone speaks against the package and never for it: judged rightly,
    it is the author's. Or friends would submit what one release gets wrong, and the next one gets right, by hundreds.
    So is one for which accounts of standing speak too: with the owner they have no limit. Labelled rollouts that they
    agreed on count without the owner.
    """
    found = []
    for one in judgements:
        outcome, origin = one.overall(declared), one.case.origin
        is_owners = one.case.by_owner and not (one.case.uncorroborated and origin is Origin.ROLLOUT)
        if is_owners and outcome.accepted is outcome.must_accept:
            origin = Origin.AUTHOR
        suite = _suite_of(one.case)
        owner = one.case.behind or suite.partition("/")[0]
        found.append(Seen(outcome, origin, one.case.first_look, is_host_fault(one.verdict), suite, owner))
    return found


def _suite_of(case: AuditCase) -> str:
    """``suites/choice``: the suite that a hub drew the case from, by the tag that it set."""
    return next((tag.removeprefix(SUITE_TAG) for tag in case.tags if tag.startswith(SUITE_TAG)), "")


def measure_parts(judgements: Iterable[Judgement], declared: Declared) -> dict[str, Measurement]:
    """``origin:…``, ``tag:…`` and ``cluster:…`` -> measurement.

    Within a tag or cluster, only a shared task makes cases similar.
    """
    grouped: dict[str, list[Outcome]] = defaultdict(list)
    for judgement in judgements:
        outcome, case = judgement.overall(declared), judgement.case
        grouped[f"origin:{case.origin}"].append(outcome)
        within = replace(outcome, groups=outcome.groups[:1])
        for tag in set(case.tags):
            grouped[f"tag:{tag}"].append(within)
        if case.cluster:
            grouped[f"cluster:{case.cluster}"].append(within)
    return {name: measure(outcomes) for name, outcomes in sorted(grouped.items())}


def reward_values(judgements: Iterable[Judgement], declared: Declared) -> RewardValues | None:
    """How far apart the weighted rewards of right and of wrong answers are. None when one side has no case.

    By others' cases alone where there are enough of them on both sides: an author could add thousands of answers that
    earn all or nothing to a few that earn nearly the same.
    """
    found = list(judgements)
    others = _shares([one for one in found if one.case.origin.is_independent], declared)
    shares = others if min(map(len, others.values())) >= FEWEST_ALONE else _shares(found, declared)
    right, wrong = shares[True], sorted(shares[False])
    if not right or not wrong:
        return None
    above = sum(2 * len(wrong) - bisect_left(wrong, one) - bisect_right(wrong, one) for one in right)
    overlap = above / (2 * len(right) * len(wrong))
    return RewardValues(right=sum(right) / len(right), wrong=sum(wrong) / len(wrong), overlap=overlap)


def _shares(judgements: Iterable[Judgement], declared: Declared) -> dict[bool, list[float]]:
    """Whether it must be accepted -> what was earned, as shares of the range."""
    shares: dict[bool, list[float]] = {True: [], False: []}
    for one in judgements:
        share = earned_share(one, declared)
        if share is not None:
            shares[must_accept(one.case, declared)].append(share)
    return shares


def earned_share(judgement: Judgement, declared: Declared) -> float | None:
    """The weighted reward as a share of its range, 0..1; None where it was not given or can only be one value."""
    lowest, highest = sum_range(declared.values())
    value = judgement.verdict.weighted_sum(dict(declared)) if judgement.verdict is not None else None
    if value is None or highest <= lowest:
        return None
    return min(max((value - lowest) / (highest - lowest), 0.0), 1.0)


def mean_share(judgements: Iterable[Judgement], declared: Declared) -> float | None:
    """Mean of :func:`earned_share` over what was judged; None where nothing was."""
    shares = [share for one in judgements if (share := earned_share(one, declared)) is not None]
    return sum(shares) / len(shares) if shares else None


def measure_overall(judgements: Iterable[Judgement], declared: Declared) -> Measurement:
    """The verifier as a whole."""
    return measure(judgement.overall(declared) for judgement in judgements)


def measure_rewards(judgements: Iterable[Judgement], declared: Declared) -> dict[str, Measurement]:
    """Every declared reward, in the order of its declaration; one without any case has null rates.

    By others' cases alone where they speak of it on both sides: the author's, however many, dilute nothing.
    """
    everyones: dict[str, list[Outcome]] = {name: [] for name in declared}
    others: dict[str, list[Outcome]] = {name: [] for name in declared}
    for judgement in judgements:
        for name, outcome in judgement.per_reward(declared).items():
            everyones[name].append(outcome)
            if judgement.case.origin.is_independent:
                others[name].append(outcome)
    found = {name: measure(outcomes) for name, outcomes in others.items()}
    return {name: found[name] if has_both(found[name]) else measure(everyones[name]) for name in declared}


def measure_slices(judgements: Iterable[Judgement], declared: Declared) -> dict[str, Measurement]:
    """``tag:…``, ``origin:…``, ``task:…`` (up to 64 tasks) and ``disputed`` -> overall measurement, sorted by name."""
    grouped: dict[str, list[Outcome]] = defaultdict(list)
    by_task: dict[str, list[Outcome]] = defaultdict(list)
    for judgement in judgements:
        outcome = judgement.overall(declared)
        case = judgement.case
        for tag in set(case.tags):
            grouped[f"tag:{tag}"].append(outcome)
        grouped[f"origin:{case.origin}"].append(outcome)
        if case.disputed:
            grouped["disputed"].append(outcome)
        if case.origin is not Origin.HELD:  # a task's id would tell which case the hub holds
            by_task[f"task:{judgement.task_name}"].append(outcome)
    if 1 < len(by_task) <= MAX_TASK_SLICES:
        grouped.update(by_task)
    return {name: measure(outcomes) for name, outcomes in sorted(grouped.items())}


def unscored_reasons(judgements: Iterable[Judgement], declared: Declared) -> dict[str, int]:
    """Reason -> number of cases that the verifier as a whole could not judge."""
    counts = Counter(judgement.reason for judgement in judgements if judgement.overall(declared).accepted is None)
    return dict(sorted(counts.items()))


def unlike_earlier(
    judgements: Iterable[Judgement], declared: Declared, earlier: Mapping[str, bool | list[bool | None] | None]
) -> list[Judgement]:
    """The judgements, in which those that an earlier audit of the same bytes judged differently are unsteady.

    ``earlier``: key of the content -> whether it was accepted; in a list where that had changed before.
    """
    found = []
    for one in judgements:
        key = content_key(one.case, one.task, must_accept=must_accept(one.case, declared))[:KEY_CHARACTERS]
        known = earlier.get(key)
        is_comparable = key in earlier and one.verdict is not None and is_evidence(one.verdict)
        is_unlike = isinstance(known, list) or (is_comparable and known is not one.given(declared))
        found.append(replace(one, is_unsteady=True, _seen=[]) if is_unlike else one)
    return found


def lasting_verdicts(judgements: Iterable[Judgement], declared: Declared) -> dict[str, tuple[str, bool | None]]:
    """Key of the content -> id and verdict. Left out: what was late or lost, which says nothing about the verifier."""
    found = {}
    for one in judgements:
        if one.verdict is not None and is_evidence(one.verdict):
            key = content_key(one.case, one.task, must_accept=must_accept(one.case, declared))
            found[key[:KEY_CHARACTERS]] = (one.case.id, one.given(declared))
    return found


def failure_of(judgement: Judgement, declared: Declared) -> Failure | None:
    """The case as a failure when the verdict contradicts the label, overall or in one reward. None when they agree."""
    kind = _failure_kind(judgement, declared)
    if kind is None:
        return None
    case = judgement.case
    is_held = case.origin is Origin.HELD  # Held cases are never published, not even when a verifier fails on them.
    return Failure(
        case=case.id,
        expected=dict(case.expect) if case.expect is not None else str(case.label),
        got=_shown_rewards(judgement, declared, is_held=is_held),
        origin=case.origin,
        kind=kind,
        tags=list(case.tags),
        note="" if is_held else case.note,
        task=None if is_held else judgement.shown_task,
        response=None if is_held else judgement.shown_response,
        error=_error_text(judgement, is_held=is_held),
        asked=[] if is_held or judgement.verdict is None else _as_asked(judgement.verdict),
    )


def _as_asked(verdict: Verdict) -> list[JudgeCall]:
    """The model calls, without whether their answers came from the cache: that differs from audit to audit."""
    return [call.model_copy(update={"cached": False}) for call in verdict.asked]


def _shown_rewards(judgement: Judgement, declared: Declared, *, is_held: bool) -> dict[str, float | None]:
    """The vector. Nothing of a held case: a verifier could write the case into its numbers, or into a hundred rewards
    of which each reaches its threshold or not.
    """
    if is_held:
        return {}
    return dict(judgement.verdict.rewards) if judgement.verdict is not None else dict.fromkeys(declared)


def _failure_kind(judgement: Judgement, declared: Declared) -> Literal["fp", "fn", "unscored"] | None:
    """The kind of failure: the whole verifier's wrong verdict, else the first wrong reward, else not judged."""
    outcomes = [judgement.overall(declared), *judgement.per_reward(declared).values()]
    for outcome in outcomes:
        if outcome.accepted is not None and outcome.accepted != outcome.must_accept:
            return "fp" if outcome.accepted else "fn"
    return "unscored" if any(outcome.accepted is None for outcome in outcomes) else None


def _error_text(judgement: Judgement, *, is_held: bool) -> str:
    if judgement.verdict is None:
        return f"the release has no task {judgement.case.task_id}"
    error: VerdictError | None = judgement.verdict.error
    if error is None:
        return ""
    if is_held:
        return str(error.kind)  # its words are the verifier's, which has read the case
    # Memory addresses differ from run to run, and a report must be reproducible byte for byte.
    # They are removed before the text is cut, because half an address would not be recognised.
    return f"{error.kind}: {_ADDRESS.sub('0x…', error.message)[-SHOWN_ERROR_CHARACTERS:]}"


def is_host_fault(verdict: Verdict | None) -> bool:
    """Whether the sandbox itself failed. Such a case says nothing about the verifier."""
    return verdict is not None and verdict.error is not None and verdict.error.kind is ErrorKind.HOST


def is_evidence(verdict: Verdict) -> bool:
    """Whether it says something about the verifier: what a busy machine or a model made late or lost does not."""
    return verdict.error is None or verdict.error.kind not in (ErrorKind.TIMEOUT, ErrorKind.HOST, ErrorKind.MODEL)


def origin_slice(judgements: Iterable[Judgement], declared: Declared) -> dict[str, Measurement]:
    """The ``origin:probe`` slice of generated cases. It is shown beside the others and is in no other number."""
    outcomes = [judgement.overall(declared) for judgement in judgements]
    return {f"origin:{Origin.PROBE}": measure(outcomes)} if outcomes else {}
