"""What the flagged verdicts that were read look like on docs/reference/field.md."""
# ruff: noqa: E501 -- prose and tables

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from schemas.measures.clusters import clustered_rate
from schemas.measures.intervals import wilson
from scripts.field_study.agreement import Agreement, after_settling, agreement, differing
from scripts.field_study.readings import Reading, key
from scripts.field_study.stratified import FRAME_VERIFIERS, blamed_share

_LEAD = """## Wrong verdicts that were read

How often does this page blame a verifier wrongly? {count} verdicts that a run called wrong were drawn at random by a fixed seed, in turn from each of {lists} lists and from each kind of error in a list.
There is one list for each verifier and family of cases: {verifiers} verifiers of {packages} packages, those that were measured when the sample was drawn. A careful reader read each with its question, reference and response, worked the value out again where there is one, looked into the
function's documents where a form was in question, and kept a reason. *Blamed wrongly* means that the label is wrong or can be argued about, or that the answer is in a form which the function does not claim to read.
`python -m scripts.field_study.readings` shows what was read, and draws from another run with `--lists`; the findings are in `scripts/field_study/readings_second.jsonl`.

- {wrong} are wrong verdicts, **{blamed} blame the verifier wrongly**, {unsure} cannot be decided. The interval is Wilson's and takes each verdict for itself, so it is too narrow: one rule makes many such labels. Weighted by how many
  verdicts each list and kind of error held, {weighted} are blamed wrongly.
- Of the {probes} that probes made, {probe_blamed}; of the {cases} of labelled cases, {case_blamed}.
- In {documented} of the {wrong} the label is certain and the function still does what its documents say (it looks for a text anywhere, or at the end), or the threshold is ours. That is a wrong reward, and no fault of its authors.
"""
_BOTH = """
The {both} verdicts of an earlier sample, from {lists} lists, were read twice: the second reader had the questions, references and responses, and not what the first had found. They agree on {same} ({share} %), with Cohen's kappa {kappa}
(blamed rightly, or not; 95 % by drawing the lists again). Nearly all are blamed rightly, so kappa hangs on a few. The first reader had called {first_blamed} blamed wrongly, and no probe; the second asked of each form too whether the
function's documents claim it. Both belong to this project, and neither maintains what is measured: a maintainer may see a contract where they saw an error. {differ}
"""
_CORRECTED = """
All wrong blame in the new sample came from four rules that made labels. Each was corrected, with a test that failed before:

- *A quotient for dollars* ({quotient}): probes wrote `97/4` for `24.25` because some labelled case grouped its thousands. Now a notation is written only where a labelled case gives its answer in it.
- *Marks around a bare answer* ({marks}): probes wrote `Final answer: __D__`, and the pattern that says which answers a reader of `ANSWER: X` is asked took `_` for a letter. Now bold type stands only in a sentence, and the pattern takes no mark.
- *A question that asks for a form* ({form}): "Expand (x - 3)(x - 8)" took the product itself for a right answer. Now the made questions of `suites/mathematics` ask for values. No verifier here reads the question, so no rate changes.
- *A reference that is rounded, cut off or wrong* ({reference}): all 276 public answers of HardVerify-Math were read, and 20 left out of the suite. Of the 121 right answers on which rules had failed 110 stay. Of these, math-verify rejects 29
  (26.4 %, before 40 of 121), gem-llm 34 (30.9 %, before 45 as it was measured then), mathruler and tinker-cookbook 83 (75.5 %, before 94).
"""
_AFTER = """
Then the same reader read {count} more, drawn by another seed from the same lists without what the corrected rules no longer make; {new} of them were in neither sample. **{blamed} blame the verifier wrongly**, all for one of the new
questions, which did not say whether a letter may come again. It says so now; of the other {rest} none does. A reader who has just corrected what he found may be blind to the rest, so this is no proof that none is left.
"""


_THIRD = """
A third reader read {count} more, drawn by another seed from {lists} lists of a later run, without the others' findings. **{blamed} blame the verifier wrongly**, {unsure} cannot be decided; weighted as above {weighted}. Of those that probes made,
{probes}; of labelled cases, {cases}. What made them: {rules}. The second reader had let exact values of rounded references stand, since they agree to the last place given. The third did not, since a grader that has the reference alone cannot know that it is
rounded. All of these are asked of nobody any more (the labelled ones left `suites/mathematics` in 1.2.0), and bold type stands behind no label.
"""
_LAST = """
The run after that also asks probes of mathematics, which nobody had read. The same reader read all {count} wrong verdicts on them of the first {packages} packages that had any: **{blamed} blame the verifier wrongly**.
"""
_FOURTH = """
A fourth reader read {count} wrong verdicts on probes of a later run ({lists} lists of {packages} packages), none of which had been read before. First came all of the families that the others had not met: {new}. Then came one of each other family and list in turn. **{blamed} blame the verifier wrongly**. With families as
clusters ({families}) the interval is [0, {wide}]. The newest families made no wrong verdict to read. No outside verifier accepted a wrong answer for its setting (`leak_setting`) or for a rating in it (`judge_rating`), and probes of code are not run on outside verifiers. Of their drafts 75 were read (each of the 24 ways of setting and thinking, and what `judge_injection`, `judge_length` and `leak_no_answer` write): no label is in doubt.
"""
_ONE = """
**All of it as one sample.** A run found {frame} wrong verdicts of {of} verifiers, on families of probes whose labels are certain and on labelled cases. From these, {count} were drawn by a fixed seed in {strata} parts: a family of probes each, and the labelled cases of each family of tasks. Larger parts were
drawn from by the root of their size, so that rare families are read too. The sample has verdicts on {verifiers} verifiers of {packages} packages. {before} of them had been read before, word for word, and keep their verdict; the other {fresh} were read one by one. **{blamed} blame the verifier wrongly**, {unsure} cannot be
decided ({why}). Weighted by part the share of all {frame} is {share}; with parts as clusters the interval is [0, {wide}]. Of the {probes} that probes made, {probe_blamed}. The readers of this and the earlier samples belong to this project.
`python -m scripts.field_study.stratified FOLDER` draws the sample again from a run's lists; what was read is in `scripts/field_study/readings_one.jsonl`.
Probes that read a package's own code, its tasks' ids, programs, queries and states are not asked of outside functions: what they blame in the collection is told in [how verifiers are measured](../explanation/audit.md#probes).
"""
_THIRD_RULES = {
    "rounded": "exact values of references that are rounded",
    "prose": "answers in words to a comparer of formulas",
    "reference": "a reference with HTML in it",
    "marks": "bold type alone behind a label",
}

RULES = ("quotient", "marks", "form", "reference")
"""What made the labels by which verifiers were blamed wrongly: ``rule`` of such a reading."""


def readings_part(
    first: Sequence[Reading],
    second: Sequence[Reading],
    settled: Sequence[Mapping[str, Any]],
    after: Sequence[Reading] = (),
    third: Sequence[Reading] = (),
    last: Sequence[Reading] = (),
    *,
    fourth: Sequence[Reading] = (),
) -> str:
    """The section on verdicts that were read; empty where none was drawn and read."""
    final = after_settling([one for one in second if one["drawn"]], settled)
    if not final:
        return ""
    counts = Counter(one["found"] for one in final)
    probes = [one for one in final if one["origin"] == "probe"]
    cases = [one for one in final if one["origin"] != "probe"]
    verifiers = {one["list"].rpartition("--")[0] for one in final}
    lead = _LEAD.format(
        count=len(final), lists=len({one["list"] for one in final}), verifiers=len(verifiers),
        packages=len({name.partition("--")[0] for name in verifiers}), wrong=counts["wrong"],
        blamed=_share(counts["right"], len(final)), unsure=counts["unsure"] or "none", weighted=_weighted(final),
        probes=len(probes), probe_blamed=_blamed(probes), cases=len(cases), case_blamed=_blamed(cases),
        documented=sum(one["found"] == "wrong" and one.get("documented", False) for one in final),
    )  # fmt: skip
    rules = Counter(one["rule"] for one in final if one["found"] == "right")
    corrected = _CORRECTED.format(**{name: rules[name] for name in RULES}).rstrip()
    return "\n".join(
        [
            lead.rstrip(),
            *_compared(first, second, settled),
            corrected,
            *_read_after(second, after),
            *_third(third, last),
            *_fourth(fourth, [*second, *after, *third, *last]),
        ]
    )


def _read_after(second: Sequence[Reading], after: Sequence[Reading]) -> list[str]:
    """What was found when the rules were corrected."""
    if not after:
        return []
    blamed = sum(one["found"] == "right" for one in after)
    known = {key(one) for one in second}
    text = _AFTER.format(
        count=len(after), new=sum(key(one) not in known for one in after), blamed=_share(blamed, len(after)),
        rest=len(after) - blamed,
    )  # fmt: skip
    return [text.rstrip()]


def _third(third: Sequence[Reading], last: Sequence[Reading]) -> list[str]:
    """What a third reader found in a later run, and in the one after the mending."""
    if not third:
        return []
    found = [
        _THIRD.format(
            count=len(third), lists=len({one["list"] for one in third}), blamed=_blamed(third),
            weighted=_weighted(third), unsure=sum(one["found"] == "unsure" for one in third),
            probes=_blamed([one for one in third if one["origin"] == "probe"]),
            cases=_blamed([one for one in third if one["origin"] != "probe"]),
            rules=", ".join(
                f"{_THIRD_RULES[rule]} ({number})"
                for rule, number in Counter(one["rule"] for one in third if one["found"] == "right").most_common()
            ),
        ).rstrip()
    ]  # fmt: skip
    if last:
        packages = {one["list"].partition("--")[0] for one in last}
        said = _LAST.format(count=len(last), packages=len(packages), blamed=_blamed(last))
        found.append(said.rstrip())
    return found


def _fourth(fourth: Sequence[Reading], earlier: Sequence[Reading]) -> list[str]:
    """What a fourth reader found on probes alone."""
    if not fourth:
        return []
    met = {_family(one) for one in earlier}
    families = {_family(one) for one in fourth}
    said = _FOURTH.format(
        count=len(fourth), lists=len({one["list"] for one in fourth}), blamed=_blamed(fourth),
        packages=len({one["list"].partition("--")[0] for one in fourth}), families=len(families),
        new=", ".join(f"`{name}` {count}" for name, count in sorted(Counter(map(_family, fourth)).items()) if name not in met),
        wide=f"{100 * wilson(0, len(families))[1]:.1f} %",
    )  # fmt: skip
    return [said.rstrip()]


def _family(one: Reading) -> str:
    """The family of a probe's case, ``probe:FAMILY:NUMBER``."""
    return str(one["case"]).removeprefix("probe:").partition(":")[0] if one["origin"] == "probe" else ""


def _compared(first: Sequence[Reading], second: Sequence[Reading], settled: Sequence[Mapping[str, Any]]) -> list[str]:
    """How far the two agree, and a row for each reason on which they do not."""
    both, rows = agreement(first, second), _differences(first, second, settled)
    if not both.both:
        return []
    text = _BOTH.format(
        both=both.both, lists=len({one["list"] for one in first}), same=both.same,
        share=f"{100 * both.same / both.both:.1f}", kappa=_kappa(both),
        first_blamed=sum(one["found"] == "right" for one in first),
        differ=f"The second reader settled the {both.both - both.same} on which they differ:" if rows else "",
    )  # fmt: skip
    return [text.rstrip(), *(["", *rows] if rows else [])]


def _weighted(rows: Sequence[Reading]) -> str:
    """The share that is blamed wrongly if each list and kind of error counted by its verdicts. ``pile``: how many."""
    piles: dict[tuple[str, str, str], list[Reading]] = defaultdict(list)
    for one in rows:
        piles[one["list"], one["origin"], one["kind"]].append(one)
    blamed = sum(pile[0]["pile"] * sum(one["found"] == "right" for one in pile) / len(pile) for pile in piles.values())
    return f"{100 * blamed / sum(pile[0]['pile'] for pile in piles.values()):.1f} %"


def one_sample_part(one: Sequence[Reading]) -> str:
    """What was found in one sample of all failures; empty where none was read."""
    if not one:
        return ""
    sizes = {row["stratum"]: row["size"] for row in one}
    verifiers = {row["list"].rpartition("--")[0] for row in one}
    unsure = [row["why"] for row in one if row["found"] == "unsure"]
    share, low, high = blamed_share(one)
    wide = clustered_rate([(row["found"] == "right", (row["stratum"],)) for row in one]).high
    probes = [row for row in one if row["origin"] == "probe"]
    text = _ONE.format(
        frame=f"{sum(sizes.values()):,}", of=FRAME_VERIFIERS, count=len(one), strata=len(sizes), verifiers=len(verifiers),
        packages=len({name.partition("--")[0] for name in verifiers}), before=sum(row["read_before"] for row in one),
        fresh=sum(not row["read_before"] for row in one), blamed=_blamed(one), unsure=len(unsure) or "none",
        why="; ".join(unsure) or "no doubt", share=f"{100 * share:.1f} % [{100 * low:.1f}, {100 * high:.1f}]",
        wide=f"{100 * wide:.1f} %", probes=len(probes), probe_blamed=_blamed(probes),
    )  # fmt: skip
    return text.strip()


def _differences(
    first: Sequence[Reading], second: Sequence[Reading], settled: Sequence[Mapping[str, Any]]
) -> list[str]:
    """A row for each reason: how often, what each reader found, and what was settled."""
    after = {key(one): one for one in settled}
    groups = Counter(
        (one["found"], two["found"], after[key(two)]["found"], after[key(two)]["why"])
        for one, two in differing(first, second)
    )
    rows = [f"| {count} | {one} | {two} | {last} | {why} |" for (one, two, last, why), count in sorted(groups.items())]
    head = ["| verdicts | first reader: verifier is | second | settled | why |", "|---|---|---|---|---|"]
    return [*head, *rows] if rows else []


def _blamed(rows: Sequence[Reading]) -> str:
    return _share(sum(one["found"] == "right" for one in rows), len(rows))


def _kappa(found: Agreement) -> str:
    if found.kappa is None or found.low is None or found.high is None:
        return "undefined"
    return f"{found.kappa:.2f} [{found.low:.2f}, {found.high:.2f}]"


def _share(count: int, of: int) -> str:
    if not of:
        return "none"
    low, high = wilson(count, of)
    return f"{count} of {of} ({100 * count / of:.1f} % [{100 * low:.1f}, {100 * high:.1f}])"
