"""docs/reference/judges.md from the study's figures: the models that were measured, and the control."""
# ruff: noqa: E501 -- prose and tables

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from scripts.judge_study.questions import PLAIN
from scripts.judge_study.scripted import JUDGES

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "judges.md"
Figures = Mapping[str, Any]

_KINDS = {
    "short": "short answers, labels by arithmetic",
    "rule": "solutions of large models to GSM8K, labels by a rule",
    "people": "final answers to hard exercises, labels by people",
    "rubric": "`lecture/rubric`, all criteria",
    "generative": "`lecture/generative-verifier`, worked answers",
}
_READ = ("short", "rule", "people", "rubric", "generative")
_SELF = {
    "own wrong or another's wrong": "its own wrong answer beside another's wrong one",
    "own wrong or right": "its own wrong answer beside a right one",
    "another's wrong or right": "another's wrong answer beside a right one",
}
_HEAD = """# Judges: what they are worth

Written by `scripts/judge_study`. A judge model was asked exactly what `lecture/judge`, `lecture/rubric` and
`lecture/generative-verifier` ask. A verdict is **not judged** where the package cannot read the judge's words: then it is no
reward, neither 0 nor 1. This makes the numbers again (hours on a processor; a study that was stopped goes on where it was):

```console
verihub serve-model smollm2 --dtype bfloat16
.venv/bin/python -m scripts.judge_study --judge-model http://127.0.0.1:8644/v1#smollm2 --name SmolLM2-135M-Instruct --store
```

- Shares have 95 % intervals in brackets. Verdicts on one question count as alike ([how](../explanation/audit.md#rates)).
- *Kappa* is Cohen's kappa with the label: 1 is full agreement, 0 is chance. Its interval is a bootstrap over questions. It
  counts what was judged, so read it beside the share that was not.
- The temperature is 0 and each request is asked once, so nothing here says how often a judge contradicts itself.

How to measure your own: [ask a model](../how_to/ask_a_model.md#what-a-judge-is-worth).
"""
_CONTROL = """## The control: judges of which everything is known

The same questions went to a scripted endpoint. The first six of its judges know every label and have at most one weakness,
so each probe must find that weakness and no other. The last three know no label. A probe that found nothing here would
prove nothing above. *Won* counts wrong answers that were not accepted plain.
"""


def page(stored: Mapping[str, Any]) -> str:
    """The whole page."""
    parts = [_HEAD]
    for name, model in stored["models"].items():
        parts += _model(name, model["about"], model.get("seconds"), model["figures"])
    parts += [_CONTROL, _judges(stored["scripted"]), _control_table(stored["scripted"])]
    return "\n".join(parts)


def _model(name: str, about: str, seconds: float | None, found: Figures) -> Iterable[str]:
    yield f"## {name}\n\n{about}" + (f" One answer took {seconds:g} s of one core." if seconds else "") + "\n"
    yield "\n".join(f"- {line}" for line in reading(name, found)) + "\n"
    yield f"### Does it know right from wrong?\n\n{_labelled(found)}\n"
    if "criteria" in found:
        yield f"By criterion of the rubric:\n\n{_criteria(found['criteria'])}\n"
    if any("rule" in found.get(kind, {}) for kind in _KINDS):
        yield f"Beside a rule, `lecture/math-answer`, on the same responses:\n\n{_beside_rule(found)}\n"
    if "attacks" in found:
        yield f"### Can a wrong answer win it over?\n\n{_ATTACKS}\n\n{_attacks(found['attacks'])}\n"
    if "lures" in found:
        yield f"### Which of two is better?\n\n{_PAIRS}\n\n{_pairs('wrong answer uses', found['lures'])}\n\n{_place(found)}\n"
    if "self" in found:
        yield f"### Does it prefer its own answers?\n\n{_OWN}\n\n{_pairs('pair', found['self'], _SELF)}\n"


_ATTACKS = """Wrong answers were judged plain, then with an attack. *Of rejected* starts only from those that the judge rejected plain,
*of not accepted* also from those that it did not judge: what is accepted there was won by the attack."""
_PAIRS = """The pairs of `suites/judges`, each asked in both orders. *Right* and *wrong*: that answer is chosen in both orders. *By the order*:
the same place is chosen twice, so the verdict is null. Lures count beside `plain`, which has none."""
_OWN = """The judge answered questions itself; where it was wrong, its answer went into pairs. In the first row both answers are wrong, so a
judge without self-preference chooses neither in both orders."""


def reading(name: str, found: Figures) -> list[str]:
    """What the figures say, in sentences that hold only because the figures do."""
    lines = [
        f"{_KINDS[kind][0].upper()}{_KINDS[kind][1:]}: {_verdict_on(found[kind])}" for kind in _READ if kind in found
    ]
    if "position" in found:
        place = found["position"]
        if place["first"] is not None:
            lines.append(
                f"Pairs: of {place['choices']} single choices that can be read, {_rate(place['first'])} name the first place; "
                f"a judge without a preference for a place would name it in half."
            )
        won = sum(round(one["won"][0] * one["pairs"]) for one in found["lures"].values())
        lines.append(
            f"It chose the right answer in both orders in {won} of {sum(one['pairs'] for one in found['lures'].values())} pairs."
        )
    kinds = [found[kind] for kind in _READ if kind in found]
    if kinds and not any(_tells_apart(one) for one in kinds):
        sides = [kind[side] for kind in kinds for side in ("right", "wrong")]
        count = sum(side["verdicts"] for side in sides)
        unread = sum(round(side["unread"][0] * side["verdicts"]) for side in sides)
        lines.append(
            f"**{name} is worth nothing as a judge**: {unread} of {count} answers were not judged, and on no kind of answer is its "
            "agreement with the labels on the others above chance."
        )
    above = [name for name, one in found.get("criteria", {}).items() if _tells_apart(one)]
    if above and len(above) < len(found["criteria"]):
        told = ", ".join(f"`{name}`: {_kappa(found['criteria'][name]['kappa'])}" for name in above)
        lines.append(
            f"Criteria of the rubric with a kappa above chance, of {len(found['criteria'])} that were looked at: {told}."
        )
    return lines


def _tells_apart(kind: Figures) -> bool:
    kappa = kind["kappa"]["kappa"]
    return kappa is not None and kappa[1] > 0


def _verdict_on(kind: Figures) -> str:
    right, wrong, kappa = kind["right"], kind["wrong"], kind["kappa"]
    said = f"accepts {_rate(right['accepted'])} of right and {_rate(wrong['accepted'])} of wrong answers"
    if kappa["kappa"] is None:
        return f"{said}; too few verdicts, or always the same one, to speak of agreement."
    above = "above chance" if kappa["kappa"][1] > 0 else "not above chance"
    return f"{said}; kappa {_number(kappa['kappa'])} on the {kappa['judged']} that it judged, {above}."


def _labelled(found: Figures) -> str:
    rows = []
    for kind, words in _KINDS.items():
        if kind in found:
            rows += _sides(words, found[kind])
    return _table(("answers", "label", "verdicts", "accepted", "not judged", "kappa"), rows)


def _criteria(criteria: Figures) -> str:
    rows = [row for name, one in criteria.items() for row in _sides(f"`{name}`", one, ("met", "not met"))]
    return _table(("criterion", "label", "verdicts", "accepted", "not judged", "kappa"), rows)


def _sides(words: str, kind: Figures, sides: tuple[str, str] = ("right", "wrong")) -> list[Sequence[str]]:
    rows: list[Sequence[str]] = []
    for side, told in zip(("right", "wrong"), sides, strict=True):
        one = kind[side]
        agreed = _kappa(kind["kappa"]) if side == "right" else ""
        rows.append(
            (
                words if side == "right" else "",
                told,
                str(one["verdicts"]),
                _rate(one["accepted"]),
                _rate(one["unread"]),
                agreed,
            )
        )
    return rows


def _beside_rule(found: Figures) -> str:
    rows = [
        (
            _KINDS[kind],
            _kappa(found[kind]["kappa"]),
            _kappa(found[kind]["rule"]["judge"]),
            _kappa(found[kind]["rule"]["label"]),
        )
        for kind in _KINDS
        if "rule" in found.get(kind, {})
    ]
    return _table(("answers", "judge with label", "judge with rule", "rule with label"), rows)


def _attacks(attacks: Figures) -> str:
    rows = []
    for form, one in attacks.items():
        won = others = ""
        if form != PLAIN:
            won = _of(one["won"], one["rejected"])
            others = _of(one["won of those"], one["not accepted"])
        rows.append((form, str(one["verdicts"]), _rate(one["accepted"]), _rate(one["unread"]), won, others))
    return _table(
        ("wrong answer", "verdicts", "accepted", "not judged", "won, of rejected", "won, of not accepted"), rows
    )


def _pairs(what: str, forms: Figures, words: Mapping[str, str] | None = None) -> str:
    names = list(words or sorted(forms, key=lambda form: (form != PLAIN, form)))
    sides = ("right", "wrong") if words is None else ("the first named", "the other")
    rows = [
        (
            (words or {}).get(form, f"`{form}`"),
            str(one["pairs"]),
            *(_rate(one[key]) for key in ("won", "lost", "by order", "unread")),
        )
        for form in names
        if (one := forms.get(form)) is not None
    ]
    return _table((what, "pairs", *sides, "by the order", "not readable"), rows)


def _place(found: Figures) -> str:
    place, length = found["position"], found["length"]
    named = f"{place['choices']} single choices can be read; {_rate(place['first'])} name the first place."
    lines = [
        f"- *Position*: {named} Of {place['both']} pairs whose two choices can be read, the order decides {_rate(place['by order'])}."
    ]
    for side, told in (("longer is wrong", "wrong"), ("longer is right", "right")):
        one = length[side]
        lines.append(
            f"- *Length*: where the longer answer is the {told} one, the longer is chosen in {_rate(one['longer'])} of {one['choices']} choices."
        )
    return "\n".join(lines)


def _judges(scripted: Figures) -> str:
    return "\n".join(f"- `{name}`: {JUDGES[name].about}" for name in scripted) + "\n"


def _control_table(scripted: Figures) -> str:
    head = ("judge", "kappa, short answers", "kappa, people", "one token won", "order alone won", "persuasion won", "length won",
            "pairs by the order", "longer chosen where wrong", "its own wrong preferred", "not judged")  # fmt: skip
    rows = []
    for name, one in scripted.items():
        attacks = one["attacks"]
        won = [_share(attacks[form]["won of those"]) for form in ("one token", "order alone", "persuasion", "length")]
        rows.append((
            f"`{name}`", _kappa_alone(one["short"]["kappa"]), _kappa_alone(one["people"]["kappa"]), *won,
            _share(one["position"]["by order"]), _share(one["length"]["longer is wrong"]["longer"]),
            _share(one["self"]["own wrong or another's wrong"]["won"]), _share(one["short"]["right"]["unread"]),
        ))  # fmt: skip
    return _table(head, rows)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _rate(rate: Sequence[float] | None) -> str:
    return "none" if rate is None else f"{rate[0]:.0%} [{rate[1]:.0%}, {rate[2]:.0%}]".replace("%", " %")


def _of(rate: Sequence[float] | None, count: int) -> str:
    return "no such answer" if rate is None else f"{_rate(rate)} of {count}"


def _share(rate: Sequence[float] | None) -> str:
    return "none" if rate is None else f"{rate[0]:.0%}".replace("%", " %")


def _number(kappa: Sequence[float]) -> str:
    return f"{kappa[0]:.2f} [{kappa[1]:.2f}, {kappa[2]:.2f}]"


def _kappa(found: Figures) -> str:
    judged = f"of {found['judged']} judged"
    return f"none, {judged}" if found["kappa"] is None else f"{_number(found['kappa'])}, {judged}"


def _kappa_alone(found: Figures) -> str:
    return "none" if found["kappa"] is None else f"{found['kappa'][0]:.2f}"
