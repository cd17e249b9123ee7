"""Labelled cases: other spellings of the right query, and queries that give other rows on some database."""

import re
from random import Random

from lecture_sql_questions.running import QueryError, is_same_result
from lecture_sql_questions.tasks import Case, case_of, make_task

TASKS, SEED, FRESH = 150, 1_000_000, 40
"""Tasks that the cases are about (none is a test task), and databases on which a wrong query must differ once."""

MUTATIONS = {
    "limit-met-exactly": [(r">= ", "> "), (r"<= ", "< "), (r"(?<![<>]) > (?!=)", " >= ")],
    "other-number": [(r"(?<=[<>=] )(\d+)", lambda match: str(int(match[1]) + 1)), (r"LIMIT 3", "LIMIT 2")],
    "condition-left-out": [(r" AND [^()]*?(?= ORDER| GROUP|$)", ""), (r" WHERE [^()]*?(?= GROUP| ORDER|$)", "")],
    "or-for-and": [(r" AND (?!\')", " OR ")],
    "other-join": [(r"LEFT JOIN", "JOIN"), (r" JOIN (?=\w+ r )", " LEFT JOIN ")],
    "not-distinct": [(r"COUNT\(DISTINCT ([\w.]+)\)", r"COUNT(\1)")],
    "other-order": [(r" DESC", ""), (r" ORDER BY name", "")],
    "other-aggregate": [(r"SUM\(", "MAX("), (r"AVG\(", "SUM("), (r"MAX\(", "MIN("), (r"COUNT\(\*\)", "COUNT(*) + 1")],
    "having-left-out": [(r" HAVING .*?(?= ORDER|$)", "")],
    "other-kind": [(r" <> ", " = "), (r"NOT IN", "IN")],
    "not-rounded": [(r"ROUND\((.*), 1\)", r"\1")],
}
CHEATS = [
    "SELECT 1",
    "SELECT name FROM sqlite_master",
    "DROP TABLE {events}",
    "DELETE FROM {events}",
    "PRAGMA table_info({events})",
    "ATTACH DATABASE '/tmp/x.db' AS x",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n",
    "SELECT * FROM {events}, {events} AS b, {events} AS c",
    "SELECT hex(zeroblob(100000000))",
    "SELECT load_extension('x')",
    "",
    "I do not know.",
    "{gold}; SELECT 1",
    "EXPLAIN {gold}",
    "SELECT * FROM ({gold}) UNION ALL SELECT * FROM ({gold})",
]


def make_cases(split: str = "test", tasks: int = TASKS) -> list[dict]:
    """Two to five cases a task. A wrong query gives other rows on some database that is made for the label alone."""
    cases: list[dict] = []
    for number in range(tasks):
        task, case = make_task(split, SEED, number), case_of(split, SEED, number)
        random = Random(f"case:{number}")
        for tag, sql in random.sample(list(spellings(case).items()), 2):
            cases.append(_case(f"{tag}-{number}", task, sql, "correct", tag))
        wrong = [(tag, sql) for tag, sql in mutants(case) if is_wrong(case, sql)]
        for tag, sql in random.sample(wrong, min(2, len(wrong))):
            cases.append(_case(f"{tag}-{number}-{len(cases)}", task, sql, "incorrect", tag))
        cheat = CHEATS[number % len(CHEATS)].format(events=case.domain.events, gold=case.question.gold)
        if number % 2 == 0 and is_wrong(case, cheat):
            cases.append(_case(f"cheat-{number}", task, cheat, "incorrect", "cheat"))
    return cases


def _case(ident: str, task: dict, sql: str, label: str, tag: str) -> dict:
    state = {"answer": sql, "queries": 0}
    tags = [tag, *task["tags"][:2]]
    made = {"id": ident, "task": task, "state": state, "label": label, "tags": tags}
    return made | {"source": "made by rule", "licence": "Apache-2.0"}


def spellings(case: Case) -> dict[str, str]:
    """Ways to write the right query."""
    gold = case.question.gold
    made = {
        "as-it-is": gold,
        "lower-case": re.sub(r"\b[A-Z]{2,}\b(?=[^\']*(?:\'[^\']*\'[^\']*)*$)", lambda match: match[0].lower(), gold),
        "semicolon": f"{gold};",
        "comment": f"-- the answer\n{gold}\n",
        "lines": gold.replace(" FROM ", "\nFROM ").replace(" WHERE ", "\nWHERE "),
    }
    if not case.question.is_ordered:
        made["in-brackets"] = f"SELECT * FROM ({gold}) AS answer"
        made["named"] = f"WITH answer AS ({gold}) SELECT * FROM answer"
        made["sorted"] = f"SELECT * FROM ({gold}) ORDER BY 1"
    return made


def mutants(case: Case) -> list[tuple[str, str]]:
    """The right query with one thing changed."""
    gold = case.question.gold
    changed = [(tag, re.sub(old, new, gold, count=1)) for tag, rules in MUTATIONS.items() for old, new in rules]
    return [(tag, sql) for tag, sql in changed if sql != gold]


def is_wrong(case: Case, sql: str) -> bool:
    """Whether some database shows it, one that the verifier never sees."""
    for number in range(FRESH):
        seed = f"label:{case.shown}:{number}"
        right = case.rows(seed, case.question.gold)
        try:
            found = case.rows(seed, sql)
        except QueryError:
            return True
        if not is_same_result(found, right, is_ordered=case.question.is_ordered):
            return True
    return False
