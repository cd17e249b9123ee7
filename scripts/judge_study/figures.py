"""From verdicts to figures: rates with intervals in which alike verdicts count as fewer, kappas, effects of attacks."""

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sandbox.audit.differential import cohens_kappa
from schemas.measures.clusters import clustered_rate
from schemas.measures.intervals import wilson
from schemas.measures.percentiles import percentile
from scripts.judge_study.kept_answers import Verdict
from scripts.judge_study.questions import PLAIN, imported

LABELLED = ("short", "rule", "people", "rubric", "generative")
BY_RULE = ("rule", "people")
"""Kinds on which a rule verifier judges too: ``lecture/math-answer``."""
_DRAWS = 1000  # of a bootstrap; chosen, not measured
_MUCH_LONGER = 1.5
Figures = dict[str, Any]
Pair = tuple[bool, bool, str]
"""Two verdicts on one thing, and its cluster."""


def figures(verdicts: Sequence[Verdict]) -> Figures:
    """Everything that the page shows of one judge. Rates are ``[value, low, high]``, 95 %."""
    of_kind: dict[str, list[Verdict]] = defaultdict(list)
    for one in verdicts:
        of_kind[one.question.kind].append(one)
    found: Figures = {kind: labelled(of_kind[kind]) for kind in LABELLED if of_kind[kind]}
    if of_kind["rubric"]:
        found["criteria"] = {
            name: labelled([one for one in of_kind["rubric"] if one.question.form == name])
            for name in sorted({one.question.form for one in of_kind["rubric"]})
        }
    if of_kind["attacks"]:
        found["attacks"] = attacked(of_kind["attacks"])
    if of_kind["pairs"]:
        found |= {"lures": by_form(of_kind["pairs"]), "position": position(of_kind["pairs"])}
        found["length"] = length(of_kind["pairs"])
    if of_kind["self"]:
        found["self"] = by_form(of_kind["self"])
    return found


def labelled(verdicts: Sequence[Verdict]) -> Figures:
    """Both sides of a kind, and agreement with its labels, and with a rule verifier where one judges."""
    sides = {"right": [], "wrong": []}  # type: dict[str, list[Verdict]]
    for one in verdicts:
        sides["right" if one.question.must else "wrong"].append(one)
    found: Figures = {side: counted(ones) for side, ones in sides.items()}
    judged = [(one, one.accepted) for one in verdicts if one.accepted is not None]
    found["kappa"] = kappa([(bool(one.question.must), said, _cluster(one)) for one, said in judged])
    if verdicts[0].question.kind in BY_RULE:
        rule = {one.question.id: by_rule(one) for one in verdicts}
        found["rule"] = {
            "judge": kappa([(rule[one.question.id], said, _cluster(one)) for one, said in judged]),
            "label": kappa([(bool(one.question.must), rule[one.question.id], _cluster(one)) for one in verdicts]),
        }
    return found


def counted(verdicts: Sequence[Verdict]) -> Figures:
    """How many were accepted, and on how many nothing was said."""
    return {
        "verdicts": len(verdicts),
        "accepted": share(verdicts, lambda one: one.accepted is True),
        "unread": share(verdicts, lambda one: one.accepted is None),
    }


def share(verdicts: Iterable[Verdict], holds: Callable[[Verdict], bool]) -> list[float] | None:
    """``[value, low, high]``; verdicts on one question are alike."""
    rate = clustered_rate([(holds(one), (_cluster(one),)) for one in verdicts])
    return None if rate.value is None else _rounded(rate.value, rate.low, rate.high)


def _cluster(one: Verdict) -> str:
    """Verdicts on one question are alike, whatever the answer is."""
    return str(one.question.task["prompt"])


def by_rule(one: Verdict) -> bool:
    """What ``lecture/math-answer``, a rule, says of the same response."""
    return bool(imported("math-answer").verify(one.question.task, one.response)["correct"])


def kappa(pairs: Sequence[Pair]) -> Figures:
    """Cohen's kappa with a bootstrap over clusters. Where all draws agree, the interval of the share that agrees.

    ``kappa`` is None where both always say the same single thing, or nothing was judged.
    """
    value = cohens_kappa([(one, two) for one, two, _ in pairs])
    agreed = sum(one == two for one, two, _ in pairs)
    if value is None:
        return {"judged": len(pairs), "agreed": agreed, "kappa": None}
    clusters: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        clusters[pair[2]].append(pair)
    groups, draw = list(clusters.values()), random.Random(0)  # noqa: S311 -- a bootstrap, not a secret
    drawn = []
    for _ in range(_DRAWS):
        chosen = [(one, two) for group in draw.choices(groups, k=len(groups)) for one, two, _ in group]
        if (again := cohens_kappa(chosen)) is not None:
            drawn.append(again)
    low, high = percentile(drawn, 0.025), percentile(drawn, 0.975)
    if low is None or high is None or high - low < 1e-9:  # all draws agree, so they cannot show the uncertainty
        low, high = _from_agreement(pairs, agreed, len(groups))
    return {"judged": len(pairs), "agreed": agreed, "kappa": _rounded(value, min(low, value), max(high, value))}


def _from_agreement(pairs: Sequence[Pair], agreed: int, clusters: int) -> tuple[float, float]:
    one = sum(first for first, _, _ in pairs) / len(pairs)
    two = sum(second for _, second, _ in pairs) / len(pairs)
    chance = one * two + (1 - one) * (1 - two)
    low, high = ((end - chance) / (1 - chance) for end in wilson(agreed / len(pairs) * clusters, clusters))
    return max(low, -1.0), high


def attacked(verdicts: Sequence[Verdict]) -> Figures:
    """Of each attack: how often it is accepted; and of wrong answers that were rejected, and not accepted, before."""
    plain = {one.question.unit: one for one in verdicts if one.question.form == PLAIN}
    forms = dict.fromkeys(one.question.form for one in verdicts)
    found: Figures = {}
    for form in forms:
        ones = [one for one in verdicts if one.question.form == form and one.question.unit in plain]
        rejected = [one for one in ones if plain[one.question.unit].accepted is False]
        found[form] = counted(ones)
        if form != PLAIN:
            found[form]["rejected"] = len(rejected)
            found[form]["won"] = share(rejected, lambda one: one.accepted is True)
            others = [one for one in ones if plain[one.question.unit].accepted is not True]
            found[form]["not accepted"] = len(others)
            found[form]["won of those"] = share(others, lambda one: one.accepted is True)
    return found


def by_form(verdicts: Sequence[Verdict]) -> Figures:
    """Of each lure or kind of pair: the response wins in both orders, loses in both, follows the order, is unread."""
    found = {}
    for form in sorted({one.question.form for one in verdicts}):
        ones = [one for one in verdicts if one.question.form == form]
        found[form] = {
            "pairs": len(ones),
            "won": share(ones, lambda one: one.accepted is True),
            "lost": share(ones, lambda one: one.accepted is False),
            "by order": share(ones, _follows_order),
            "unread": share(ones, _is_unread),
        }
    return found


def _follows_order(one: Verdict) -> bool:
    return one.words in {("A", "A"), ("B", "B")}


def _is_unread(one: Verdict) -> bool:
    return not all(one.words)


def position(verdicts: Sequence[Verdict]) -> Figures:
    """Of the single choices that can be read, the share that names A; half of them would without a preference.

    ``both``: of the pairs of which both orders can be read, the share in which the place decides.
    """
    choices = [(word == "A", (_cluster(one),)) for one in verdicts for word in one.words if word]
    rate = clustered_rate(choices)
    both = [one for one in verdicts if not _is_unread(one)]
    first = None if rate.value is None else _rounded(rate.value, rate.low, rate.high)
    return {"choices": len(choices), "first": first, "both": len(both), "by order": share(both, _follows_order)}


def length(verdicts: Sequence[Verdict]) -> Figures:
    """Of single choices between a text and one half as long again: how often the longer is chosen, by which is right.

    Each pair is asked in both orders, so a judge of places chooses the longer in half. One that knows chooses it never
    where it is wrong, and always where it is right.
    """
    found: Figures = {}
    for side in ("longer is wrong", "longer is right"):
        choices = []
        for one in verdicts:
            right, wrong = len(one.response), len(one.question.task["info"]["other"])
            is_longer_right = right > wrong
            if max(right, wrong) < _MUCH_LONGER * min(right, wrong) or is_longer_right != side.endswith("right"):
                continue
            for word, right_word in zip(one.words, ("A", "B"), strict=False):
                if word:
                    choices.append(((word == right_word) == is_longer_right, (_cluster(one),)))
        rate = clustered_rate(choices)
        chosen = None if rate.value is None else _rounded(rate.value, rate.low, rate.high)
        found[side] = {"choices": len(choices), "longer": chosen}
    return found


def _rounded(*values: float) -> list[float]:
    return [round(value, 4) + 0.0 for value in values]  # no -0.0
