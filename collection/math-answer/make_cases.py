"""Writes the package's audit cases: this suite's own rows, and two public sets with their licences.

Run with the folders of the public sets to renew those too:
``python make_cases.py [--hardverify cases.jsonl] [--math-verify cases.jsonl]``
"""
# ruff: noqa: E501 -- one case a line

import argparse
import json
import random
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from case_classes import ROWS
from case_families import FAMILIES, wrapped

HERE = Path(__file__).parent / "src" / "lecture_math_answer"
CASES = Path(__file__).with_name("cases.txt")
CLASSES = Path(__file__).with_name("classes.txt")
BASELINES = [
    Path(__file__).parents[1] / name / "src" / f"lecture_{name.replace('-', '_')}"
    for name in ("math-verify", "exact-match", "substring-rule")
]
SEED = 20261121


def case(name: str, gold: str, response: str, *, right: bool, tags: list[str], **more: Any) -> dict[str, Any]:
    """One audit case as the hub reads it."""
    return {
        "id": name,
        "task": {"id": f"gold-{name}", "prompt": more.pop("prompt", ""), "answer": gold},
        "response": response,
        "label": "correct" if right else "incorrect",
        "tags": tags,
        **more,
    }


def own_cases() -> Iterator[dict[str, Any]]:
    """The rows by class, those of ``cases.txt``, then the generated ones."""
    for number, (kind, gold, right, wrong) in enumerate(ROWS):
        for label, responses in ((True, right), (False, wrong)):
            for index, response in enumerate(responses):
                yield case(
                    f"{kind}-{number}-{'right' if label else 'wrong'}-{index}", gold, response, right=label, tags=[kind]
                )
    for number, line in enumerate(CASES.read_text(encoding="utf-8").split("\n")):
        if line and not line.startswith("#"):
            label, gold, response = line.split("\t")
            yield case(f"written-{number}", gold, response, right=label == "+", tags=["written"])
    yield from generated_cases()


def class_cases() -> Iterator[dict[str, Any]]:
    """The rows of ``classes.txt``: seven classes of answer on which rules fail, in two halves."""
    for number, line in enumerate(CLASSES.read_text(encoding="utf-8").splitlines()):
        if line and not line.startswith("#"):
            half, kind, label, gold, response = line.split("\t")
            yield case(f"class-{number}", gold, response.replace("␤", "\n"), right=label == "+", tags=[kind, half])


def pairs() -> Iterator[dict[str, Any]]:
    """Metamorphic pairs: spellings that must not change a verdict, and values that must, whatever the verdict is."""
    source = random.Random(SEED)
    for number in range(12):
        top, bottom, other = source.randint(2, 40), source.choice([3, 7, 11, 13]), source.randint(41, 90)
        large = source.randint(10_000, 999_999)
        right, wrong = rf"\frac{{{top}}}{{{bottom}}}", rf"\frac{{{other}}}{{{bottom}}}"
        for gold, said in ((right, right), (right, wrong)):
            yield _pair("dfrac", gold, said, said.replace("frac", "dfrac"))
            yield _pair("left_right", f"({gold}, 1)", f"({said}, 1)", rf"\left({said}, 1\right)")
            yield _pair("boxed", gold, f"${said}$", rf"\boxed{{{said}}}")
        for said in (large, large + 1):
            yield _pair("thousands", str(large), str(said), f"{said:,}")
        yield _pair("order_of_terms", f"x^2+{top}x", f"x^2+{top}x", f"{top}x+x^2")
        yield _pair("sign", right, right, f"-{right}", relation="different")
        yield _pair(
            "order_in_pair", f"({top}, {other})", f"({top}, {other})", f"({other}, {top})", relation="different"
        )
        yield _pair(
            "tenfold", f"{number + 1}%", f"{number + 1} percent", f"{10 * (number + 1)} percent", relation="different"
        )


def _pair(rewriting: str, gold: str, before: str, after: str, *, relation: str = "same") -> dict[str, Any]:
    task = {"id": f"pair-{rewriting}", "prompt": "", "answer": gold}
    sides = {"before": {"response": before}, "after": {"response": after}}
    return {"rewriting": rewriting, "relation": relation, "task": task, **sides}


def family_cases(draws: int) -> Iterator[dict[str, Any]]:
    """Every generated family, ``draws`` rows of each, tagged with the half that it belongs to."""
    for family in FAMILIES.values():
        for draw in range(draws):
            source = random.Random(f"{family.name}:{draw}")
            row = family.make(source)
            for label, responses in ((True, row.right), (False, row.wrong)):
                for index, response in enumerate(responses):
                    text = wrapped(response, source) if family.wraps else response
                    name = f"{family.name}-{draw}-{'right' if label else 'wrong'}-{index}"
                    yield case(name, row.gold, text, right=label, tags=[family.name, family.half])


def generated_cases() -> Iterator[dict[str, Any]]:
    """Fractions and roots in several spellings; one digit, the sign or the order changed makes a wrong one."""
    source = random.Random(SEED)
    for number in range(25):
        value = Fraction(source.randint(2, 99), source.choice([3, 4, 5, 7, 8, 9, 11, 16, 25]))
        if value.denominator == 1:
            continue
        top, bottom = value.numerator, value.denominator
        gold = f"\\frac{{{top}}}{{{bottom}}}"
        right = [
            f"{top}/{bottom}",
            f"$\\dfrac{{{2 * top}}}{{{2 * bottom}}}$",
            f"x = {top} / {bottom}",
            f"So we get \\boxed{{\\tfrac{{{top}}}{{{bottom}}}}}.",
        ]
        if top > bottom:
            right.append(f"{top // bottom}\\frac{{{top % bottom}}}{{{bottom}}}")
        wrong = [
            f"{top + 1}/{bottom}",
            f"-{top}/{bottom}",
            f"{bottom}/{top}",
            f"{top}/{bottom + 1}",
            f"{top}{bottom}",
            f"{top}/{bottom} or {top + 1}/{bottom}",
        ]
        for label, responses in ((True, right), (False, wrong)):
            for index, response in enumerate(responses):
                yield case(
                    f"generated-fraction-{number}-{'right' if label else 'wrong'}-{index}",
                    gold,
                    response,
                    right=label,
                    tags=["generated", "fraction"],
                )
    for number in range(20):
        one, two = sorted(source.sample(range(-12, 13), 2))
        gold = f"{one}, {two}"
        right = [
            f"x = {two} \\text{{ or }} x = {one}",
            f"\\{{{two}, {one}\\}}",
            f"The solutions are ${one}$ and ${two}$.",
            f"\\boxed{{{two}}} and \\boxed{{{one}}}",
        ]
        wrong = [
            f"{one}",
            f"{two}",
            f"{one}, {two + 1}",
            f"{one}, {two}, {two + 3}",
            f"x = {one - 1} or x = {two}",
            f"{one + two}",
        ]
        for label, responses in ((True, right), (False, wrong)):
            for index, response in enumerate(responses):
                yield case(
                    f"generated-pair-{number}-{'right' if label else 'wrong'}-{index}",
                    gold,
                    response,
                    right=label,
                    tags=["generated", "list"],
                )


def hardverify_cases(path: Path) -> Iterator[dict[str, Any]]:
    for row in read(path):
        yield case(
            f"hardverify-{row['id']}", row["gold"], row["response"], right=row["label"] == "correct", tags=["hardverify-math", row["origin"]], prompt=row["question"],
            source="uw-nsl/TinyV, benchmarks/HardVerify-Math", licence="MIT, (c) 2025 UW-NSL",
        )  # fmt: skip


def math_verify_cases(path: Path) -> Iterator[dict[str, Any]]:
    for index, row in enumerate(read(path)):
        made = case(
            f"math-verify-{index}", row["gold"], row["response"], right=row["label"] == "correct", tags=["math-verify-tests", row["test"]],
            source="huggingface/Math-Verify, tests", licence="Apache-2.0",
        )  # fmt: skip
        if row["options"]:
            made["task"]["info"] = row["options"]
        yield made


def read(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:  # splitlines() would also cut at characters that JSON strings may hold
        return [json.loads(line) for line in lines if line.strip()]


def write(path: Path, cases: Iterator[dict[str, Any]]) -> None:
    rows = list(cases)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    right = sum(row["label"] == "correct" for row in rows)
    print(f"{path.parent.name}/{path.name}: {len(rows)} cases, {right} right and {len(rows) - right} wrong")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hardverify", type=Path)
    parser.add_argument("--math-verify", type=Path)
    arguments = parser.parse_args()
    write(HERE / "audit.jsonl", own_cases())
    write(HERE / "audit_classes.jsonl", class_cases())
    found = list(pairs())
    (HERE / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in found), encoding="utf-8")
    for folder in BASELINES:
        write(folder / "audit.jsonl", (row for place, row in enumerate(own_cases()) if place % 6 == 0))
    if arguments.hardverify:
        write(HERE / "audit_hardverify.jsonl", hardverify_cases(arguments.hardverify))
    if arguments.math_verify:
        write(HERE / "audit_math_verify.jsonl", math_verify_cases(arguments.math_verify))


if __name__ == "__main__":
    main()
