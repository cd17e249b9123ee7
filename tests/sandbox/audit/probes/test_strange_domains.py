"""Ten honest verifiers of domains that no family was made for: none of them may be called wrong.

Each judges as somebody who knows the domain would: several spellings are right, and what looks alike may be wrong.
"""

import asyncio
import re
import sqlite3
from collections import Counter
from datetime import datetime
from fractions import Fraction

import pytest

from sandbox.audit import run_audit
from schemas.evidence.cases import AuditCase

CAPITALS = {
    "Ukraine": ("Kyiv", "Kiev"),
    "Switzerland": ("Bern", "Berne"),
    "Myanmar": ("Naypyidaw", "Nay Pyi Taw"),
    "Kazakhstan": ("Astana", "Nur-Sultan"),
    "Peru": ("Lima", "the city of Lima"),
    "Kenya": ("Nairobi", "Nairobi, Kenya"),
}


def geography(task, said):
    return any(re.search(rf"\b{name}\b", said) for name in CAPITALS[task["prompt"]])


def atoms(text):
    found = Counter()
    for symbol, count in re.findall(r"([A-Z][a-z]?)(\d*)", text.translate(str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789"))):
        found[symbol] += int(count or 1)
    return found


def chemistry(task, said):
    formula = said.split()[-1] if said.split() else ""
    is_formula = re.fullmatch(r"(?:[A-Z][a-z]?[\d₀-₉]*)+", formula)
    return is_formula is not None and atoms(formula) == atoms(task["answer"])


def read_date(text):
    for form in ("%Y-%m-%d", "%d %B %Y", "%B %d, %Y"):
        try:
            return datetime.strptime(text, form).date()  # noqa: DTZ007 -- a day has no zone
        except ValueError:
            continue
    return None


def dates(task, said):
    return read_date(said.strip()) == read_date(task["answer"]) is not None


WORDS = ("", "a", "b", "ab", "ba", "aa", "abab", "aab", "abb", "bbb", "aba")


def matched(pattern):
    try:
        return [re.fullmatch(pattern, word) is not None for word in WORDS]
    except (re.error, RecursionError, OverflowError):
        return None


def regexes(task, said):
    return len(said) < 99 and matched(said) == matched(task["answer"])


def patched(source, diff):
    """The text after a unified diff with one hunk; None where it does not apply."""
    lines = diff.splitlines()
    if len(lines) < 2 or not lines[0].startswith("@@") or any(line[:1] not in " +-" for line in lines[1:]):
        return None
    before = [line[1:] for line in lines[1:] if line[:1] in " -"]
    after = [line[1:] for line in lines[1:] if line[:1] in " +"]
    return "\n".join(after) if "\n".join(before) == source else None


def diffs(task, said):
    return patched(task["prompt"], said) == task["answer"]


MOVES = {"Nf3": "g1f3", "e4": "e2e4", "Bb5": "f1b5", "O-O": "e1g1", "Qh5": "d1h5", "d4": "d2d4"}


def chess(task, said):
    move = said.strip().rstrip("!?+#.")
    return move in (task["answer"], MOVES[task["answer"]])


METRES = {"m": Fraction(1), "km": Fraction(1000), "cm": Fraction(1, 100)}


def length(text):
    found = re.fullmatch(r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*(km|cm|m)\s*", text)
    return Fraction(found[1]) * METRES[found[2]] if found else None


def units(task, said):
    return length(said) == length(task["answer"])


SEMITONES = {"unison": 0, "minor third": 3, "major third": 4, "perfect fourth": 5, "perfect fifth": 7, "octave": 12}
SHORT = {"P1": 0, "m3": 3, "M3": 4, "P4": 5, "P5": 7, "P8": 12}


def music(task, said):
    said = said.strip().removeprefix("a ").removeprefix("an ")
    return SEMITONES.get(said.lower(), SHORT.get(said)) == SEMITONES[task["answer"]]


def rows(query):
    with sqlite3.connect(":memory:") as connection:
        connection.executescript("create table t (a, b); insert into t values (1, 2), (2, 3), (3, 5)")
        try:
            return sorted(connection.execute(query).fetchall())
        except (sqlite3.Error, sqlite3.Warning, TypeError, ValueError):
            return None


def sql(task, said):
    return said.lower().startswith("select") and rows(said) == rows(task["answer"])


def phones(task, said):
    digits = re.sub(r"[ ()./-]", "", said)
    return (
        re.fullmatch(r"(?:\+49|0049|0)\d+", digits) is not None
        and re.sub(r"^(?:\+49|0049|0)", "", digits) == task["answer"][3:]
    )


DOMAINS = {
    geography: [(c, a, [a, f"It is {b}."], "Paris") for c, (a, b) in CAPITALS.items()],
    chemistry: [
        ("?", a, [a, f"It is {b}"], wrong)
        for a, b, wrong in (
            ("H2O", "OH2", "H2O2"), ("CO2", "O₂C", "CO"), ("C2H6O", "CH3CH2OH", "CH4O"), ("NaCl", "ClNa", "NaCl2"),
            ("NH3", "H3N", "NH4"), ("C6H12O6", "C₆H₁₂O₆", "C6H12O5"),
        )
    ],
    dates: [
        ("When?", f"2024-0{m}-0{d}", [f"2024-0{m}-0{d}", f"{d} {name} 2024", f"{name} {d}, 2024"], f"2024-0{d}-0{m}")
        for m, d, name in ((1, 2, "January"), (3, 4, "March"), (5, 6, "May"), (7, 8, "July"), (9, 1, "September"))
    ],
    regexes: [
        ("Which pattern?", a, [a, b], wrong)
        for a, b, wrong in (
            ("a*", "(?:a)*", "a+"), ("(ab)+", "(?:ab)+", "ab+"), ("a|b", "[ab]", "ab"), ("aa?b", "a{1,2}b", "a*b"), ("b+", "bb*", "b*"),
        )
    ],
    diffs: [
        (f"one\n{n}\nthree", f"one\n{n + 1}\nthree", [f"@@ -1,3 +1,3 @@\n one\n-{n}\n+{n + 1}\n three", f"@@ -1 +1 @@\n one\n+{n + 1}\n-{n}\n three"],
         f"@@ -1,3 +1,3 @@\n one\n-{n}\n+{n + 2}\n three")
        for n in range(11, 17)
    ],
    chess: [("Best move?", a, [a, b, f"{a}!"], "Ke2") for a, b in MOVES.items()],
    units: [("How long?", f"{n} km", [f"{n} km", f"{n}000 m"], f"{n} m") for n in (3, 4, 7, 12, 15, 18)],
    music: [("Which interval?", a, [a, b], "tritone") for a, b in zip(SEMITONES, SHORT, strict=True)],
    sql: [
        ("Which rows?", a, [a, b], wrong)
        for a, b, wrong in (
            ("SELECT a FROM t", "select t.a from t", "SELECT b FROM t"), ("SELECT sum(b) FROM t", "select total(b) from t", "SELECT sum(a) FROM t"),
            ("SELECT a FROM t WHERE b > 2", "select a from t where not b <= 2", "SELECT a FROM t WHERE b > 3"),
            ("SELECT max(b) FROM t", "select b from t order by b desc limit 1", "SELECT min(b) FROM t"),
            ("SELECT count(*) FROM t", "select count(a) from t", "SELECT count(*) + 1 FROM t"),
        )
    ],
    phones: [
        ("Which number?", f"+4930{n}", [f"+4930{n}", f"030/{n}", f"0049 30 {n}"], f"+4931{n}")
        for n in (123456, 234567, 345678, 456789, 567890)
    ],
}  # fmt: skip


@pytest.mark.parametrize("verify", DOMAINS, ids=lambda verify: verify.__name__)
def test_an_honest_verifier_of_a_strange_domain_is_blamed_by_no_family(verify, judge_of, make_source):
    tasks, cases = {}, []
    for number, (prompt, answer, right, wrong) in enumerate(DOMAINS[verify]):
        task = tasks.setdefault(f"t{number}", {"id": f"t{number}", "prompt": prompt, "answer": answer})
        for form, response in enumerate([*right, wrong]):
            label = "incorrect" if response is wrong else "correct"
            assert verify(task, response) is (label == "correct"), (task, response)
            cases.append(AuditCase(id=f"{number}-{form}", task_id=task["id"], response=response, label=label))
    judge = judge_of(lambda call: {"correct": float(verify(call.task, call.response or ""))})
    report = asyncio.run(run_audit(judge, make_source("[rewards.correct]"), cases, tasks=tasks, subject="al/check@1"))
    blamed = {name: (one.failures, one.raised) for name, one in report.probes.items() if one.failures or one.raised}
    if report.probes["leak_task_form"].failures == 0:
        blamed.pop(
            "leak_task_form", None
        )  # an answer that is a number, or a chat for a prompt, raises where text is read
    said = {(one.case, str(one.response)[:80], one.error) for one in report.failures}
    assert blamed == {}, said
