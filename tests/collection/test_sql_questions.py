"""SQL questions: right however it is written, wrong when it is right by luck, and harmless whatever is run."""

import importlib
import json
import re
import time
from functools import cache
from typing import Any

import pytest

from sandbox.interface import Call

PROJECT = "sql-questions"


@pytest.fixture(autouse=True, scope="module")
def _rows_are_drawn_once(package):
    """Every test asks for the same hidden databases; to draw their rows anew took a quarter of this file's processor time."""
    running = importlib.import_module("lecture_sql_questions.running")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "fill", cache(running.fill))
        yield


@pytest.fixture
def case_of(package):
    made = importlib.import_module("lecture_sql_questions.tasks").case_of
    return lambda task: made(**task["info"])


def judge(package, task, answer, queries=0) -> dict[str, float]:
    return package.verify(task, {"answer": answer, "queries": queries})


def test_the_right_query_is_right_in_every_family(package, tasks, case_of):
    for task in {task["tags"][1]: task for task in tasks}.values():
        assert judge(package, task, case_of(task).question.gold)["correct"] == 1.0


def test_rows_that_are_right_on_the_shown_database_alone_are_wrong(package, tasks, case_of):
    """An agent that looks at its database and writes the rows down."""
    for task in tasks[:30]:
        if query := by_heart(case_of(task)):
            rewards = judge(package, task, query)
            assert (rewards["correct"], rewards["executes"]) == (0.0, 1.0), task["id"]


def by_heart(case) -> str:
    """A query that is the rows of the database that the agent sees; empty where there is none."""
    running = importlib.import_module("lecture_sql_questions.running")
    rows = running.run_query(case.domain, case.shown, case.question.gold)
    return " UNION ALL ".join("SELECT " + ", ".join(map(literal, row)) for row in rows)


@pytest.mark.parametrize(
    ("agent", "query"),
    [
        ("lazy: counts the rows of the first table", lambda case: f"SELECT COUNT(*) FROM {case.domain.left}"),
        ("lists the names of the first table", lambda case: f"SELECT name FROM {case.domain.left}"),
        ("writes down the rows of its own database", by_heart),
    ],
)
def test_the_readmes_row_of_an_agent_is_what_it_earns(package, projects, tasks, case_of, agent, query):
    chosen = tasks[::8]
    got = [judge(package, task, query(case_of(task))) for task in chosen]
    shares = [f"{sum(one[name] for one in got) / len(got):.0%}".replace("%", " %") for name in EARNED]
    assert f"| {agent} | {' | '.join(shares)} |" in (projects[PROJECT].folder / "README.md").read_text()


def literal(value: object) -> str:
    return "'" + value + "'" if isinstance(value, str) else repr(value)


EARNED = ("correct", "databases", "executes")
CONSTANTS = [
    "SELECT 0",
    "SELECT 1",
    "SELECT name FROM {left}",
    "SELECT name FROM {left} LIMIT 3",
    "SELECT COUNT(*) FROM {events}",
    "SELECT * FROM {events}",
    "SELECT name FROM {right} ORDER BY name",
    "SELECT 1 WHERE 0",
]


@pytest.mark.parametrize("template", CONSTANTS)
def test_no_fixed_query_is_right_on_more_than_one_task_in_twenty(package, tasks, case_of, template):
    chosen = tasks[::12]
    domains = [case_of(task).domain for task in chosen]
    answers = [template.format(left=d.left, right=d.right, events=d.events) for d in domains]
    right = [judge(package, task, answer)["correct"] for task, answer in zip(chosen, answers, strict=True)]
    assert sum(right) <= 1


@pytest.mark.parametrize(
    "sql",
    [
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n",
        "SELECT COUNT(*) FROM {t}, {t} a, {t} b, {t} c, {t} d, {t} e, {t} f",
        "SELECT hex(zeroblob(1000000000))",
        "SELECT printf('%1000000000d', 1)",
        "SELECT replace(hex(randomblob(1000)), 'A', hex(randomblob(100000)))",
        "SELECT group_concat(a.name || b.name) FROM {t} a, {t} b",
        "DROP TABLE {t}",
        "INSERT INTO {t} SELECT * FROM {t}",
        "UPDATE {t} SET id = 1",
        "PRAGMA writable_schema = 1",
        "ATTACH DATABASE '/tmp/verihub-sql-test.db' AS x",
        "VACUUM INTO '/tmp/verihub-sql-test.db'",
        "SELECT load_extension('/tmp/x.so')",
        "SELECT readfile('/etc/passwd')",
        "SELECT sql FROM sqlite_master",
        "SELECT 1; SELECT 2",
        "SELECT",
        "",
        "\0",
        "SELECT '\ud800'",
        "SELECT " + "(" * 5000 + "1" + ")" * 5000,
        "SELECT " + ",".join("1" for _ in range(3900)),
        "x" * 1_000_000,
        (
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<2000) "
            "SELECT printf('%.*c',190000,'a') FROM n"
        ),
        "SELECT " + "+".join(["instr(printf('%.*c',190000,'a'), printf('%.*c',90000,'a')||'b')"] * 5),
        (
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) "
            "SELECT SUM(instr(printf('%.*c',1900,'a'),'aab')) FROM n"
        ),
        "WITH c0 AS (SELECT 1 x), "
        + ", ".join(f"c{i} AS (SELECT COUNT(*) x FROM c{i - 1} a, c{i - 1} b)" for i in range(1, 19))
        + " SELECT x FROM c18",
        "SELECT " + ", ".join(["printf('%.*c',1900,'a')"] * 300),
    ],
    ids=range(28),
)
def test_whatever_is_run_is_judged_wrong_and_leaves_nothing(package, tasks, case_of, tmp_path, sql):
    task = tasks[0]
    started = time.thread_time()
    rewards = judge(package, task, sql.format(t=case_of(task).domain.events) if "{t}" in sql else sql)
    assert time.thread_time() - started < 5, "what runs too long is wrong, and no verdict is lost by it"
    assert rewards["correct"] == rewards["databases"] == 0.0
    assert judge(package, task, case_of(task).question.gold)["correct"] == 1.0


@pytest.mark.parametrize(
    "state",
    [None, [], {}, {"answer": None}, {"answer": 5}, {"answer": ["SELECT 1"], "queries": "x"}, {"queries": -1}],
    ids=range(7),
)
def test_a_state_that_no_session_leaves_is_wrong(package, tasks, state):
    rewards = package.verify(tasks[0], state)
    assert rewards["correct"] == 0.0
    assert rewards["queries"] == 0.0


@pytest.mark.parametrize(
    ("message", "query"),
    [
        ("```sql\nSELECT 1\n```", "SELECT 1"),
        ("First:\n```sql\nSELECT 1\n```\nNo, better:\n```\nSELECT 2\n```", "SELECT 2"),
        ("SELECT 1", "SELECT 1"),
        ("  with a as (select 1) select * from a", "with a as (select 1) select * from a"),
        ("<think>```sql\nSELECT 1\n```</think>```SQL\r\nSELECT 2\r\n```", "SELECT 2"),
        ("```sqlite\nSELECT 1", "SELECT 1"),
        ("```sql\nSELECT 1\n```\ngives\n```text\n7\n```\nThis counts them.", "SELECT 1"),
        ("```sql\nSELECT 1\n```\n```\n7\n```", "SELECT 1"),
        ("```sql SELECT 1 ```", "SELECT 1"),
        ("~~~sql\nSELECT 1\n~~~", "SELECT 1"),
        ("```postgresql\nSELECT 1\n```", "SELECT 1"),
        ("```sql\n-- count\nSELECT 1\n```", "-- count\nSELECT 1"),
        ("The query:\nSELECT 1", "SELECT 1"),
        ("The answer is 5.", None),
        ("", None),
    ],
    ids=range(15),
)
def test_which_query_a_message_commits_to(package, message, query):
    session = importlib.import_module("lecture_sql_questions.session")
    assert session.find_query(message) == query


def test_the_tool_shows_rows_and_errors_and_no_more_than_twelve_queries(package, tasks):
    session = package.Session()
    session.reset(tasks[0], 0)

    def query(sql: object) -> dict[str, Any]:
        function = {"name": "query", "arguments": json.dumps({"sql": sql})}
        return session.step({"role": "assistant", "tool_calls": [{"id": "c", "function": function}]})

    assert query("SELECT 1, 'a'")["messages"][0]["content"] == '[1, "a"]'
    assert query("SELECT absent")["messages"][0]["content"].startswith("error: no such column")
    assert query(5)["messages"][0]["content"].startswith("error: the only tool")
    assert session.step({"role": "assistant", "tool_calls": [None]})["messages"][0]["content"].startswith("error")
    assert [query("SELECT 1")["done"] for _ in range(8)] == [False] * 8
    assert query("SELECT 1")["messages"][0]["content"].startswith("error: no query is left")
    assert session.step({"role": "assistant", "content": "SELECT 1"})["done"], "an answer is still taken"
    assert session.state() == {"answer": "SELECT 1", "queries": 12}


@pytest.mark.parametrize("split", ["validation", "test"])
def test_committed_tasks_are_what_the_maker_draws(package, projects, split):
    make_task = importlib.import_module("lecture_sql_questions.tasks").make_task
    rows = projects[PROJECT].rows(f"{split}.jsonl")
    assert len({row["prompt"] for row in rows}) == len(rows)
    for row in rows[::5]:
        assert row == make_task(split, 0, int(row["id"].rpartition("-")[2]))


def test_the_second_answer_to_a_task_runs_no_query_but_its_own(package, tasks, case_of, monkeypatch):
    """Answers to one task come together: question, rows and right rows are kept, which changes no verdict."""
    made, running = (importlib.import_module(f"lecture_sql_questions.{name}") for name in ("tasks", "running"))
    task = tasks[5]
    gold = case_of(task).question.gold
    first = judge(package, task, gold)
    asked = []
    whole = running.run_on
    monkeypatch.setattr(running, "run_on", lambda schema, tables, sql: asked.append(sql) or whole(schema, tables, sql))
    assert judge(package, task, gold + " ") == first
    assert set(asked) == {gold + " "}
    made.case_of.cache_clear()
    made._right_rows.cache_clear()
    assert judge(package, task, gold) == first
    assert asked.count(gold) > made.HIDDEN + 1, "nothing was kept"


def test_committed_cases_are_what_the_maker_draws(package, projects, monkeypatch):
    cases = importlib.import_module("lecture_sql_questions.cases")
    committed = projects[PROJECT].rows("audit.jsonl")
    monkeypatch.setattr(cases, "TASKS", 16)
    made = cases.make_cases()
    assert len(made) > 40
    assert json.loads(json.dumps(made)) == committed[: len(made)]


def test_splits_share_no_field_and_no_table(package):
    domains = importlib.import_module("lecture_sql_questions.domains").DOMAINS
    tables = {
        split: {name for d in fields for name in (d.left, d.right, d.events)} for split, fields in domains.items()
    }
    assert not tables["train"] & tables["validation"]
    assert not tables["train"] & tables["test"]
    assert not tables["validation"] & tables["test"]


def test_an_episode_in_the_sandbox(local_sandbox, packed, tasks, case_of):
    source, task = packed.source(PROJECT), tasks[1]
    gold = case_of(task).question.gold
    with local_sandbox.session(source, task) as session:
        [tool] = session.reset()["tools"]
        assert tool["function"]["name"] == "query"
        assert not session.step({"role": "assistant", "content": "I will think."})["done"]
        assert session.step({"role": "assistant", "content": f"```sql\n{gold}\n```"})["done"]
        state = session.state()
    [(_, verdict)] = local_sandbox.score(source, [Call("1", task, state=state)])
    assert verdict.rewards["correct"] == 1.0


NEARLY = [  # what a stranger found to pass on databases of coarse values
    ("in-city", r">= (\d+)", lambda m: f"> {int(m[1]) - 2}"),
    ("sorted-names", r"> (\d+)", lambda m: f"> {int(m[1]) + 1}"),
    ("in-year", r"LIKE '(\d+)-%'", lambda m: f">= '{m[1]}'"),
    ("counts-of-all", r"GROUP BY l.id", lambda m: "GROUP BY l.name"),
    ("best-three", r"GROUP BY l.id", lambda m: "GROUP BY l.name"),
    ("same-city", r"<= (\d+)", lambda m: f"< {int(m[1]) + 3}"),
    ("in-city", r"city = '(.).*?'", lambda m: f"city LIKE '{m[1]}%'"),
    ("between-days", r"-20'", lambda m: "-19'"),
]


@pytest.mark.parametrize(("family", "old", "new"), NEARLY, ids=range(len(NEARLY)))
def test_what_is_nearly_the_query_is_nearly_always_wrong(package, tasks, case_of, family, old, new):
    chosen = [task for task in tasks if family in task["tags"]][:12]
    answers = [re.sub(old, new, case_of(task).question.gold) for task in chosen]
    right = [judge(package, task, answer)["correct"] for task, answer in zip(chosen, answers, strict=True)]
    assert sum(right) <= len(right) / 4


def test_other_ways_to_say_it_are_right(package, tasks, case_of):
    for task in {task["tags"][1]: task for task in tasks}.values():
        gold = case_of(task).question.gold
        for answer in (f"{gold};;", f"{gold} -- done", f"/* so */ {gold};\n"):
            assert judge(package, task, answer)["correct"] == 1.0, answer


GIVEN = {
    "prompt": "?",
    "answer": "SELECT name FROM p WHERE size >= 2",
    "info": {
        "schema": "CREATE TABLE p (name TEXT, size INTEGER);",
        "databases": [{"p": [["a", 1], ["b", 2]]}, {"p": [["a", 2], ["b", 3]]}],
        "ordered": False,
    },
}


def test_a_question_of_somebody_else_is_judged_on_the_databases_that_it_brings(package):
    assert judge(package, GIVEN, "SELECT name FROM p WHERE size > 1")["correct"] == 1.0
    by_luck = judge(package, GIVEN, "SELECT 'b'")
    assert (by_luck["correct"], by_luck["databases"]) == (0.0, 0.5)
    assert judge(package, GIVEN, "DELETE FROM p")["executes"] == 0.0
    with pytest.raises(ValueError, match="brings no database"):
        judge(package, GIVEN | {"info": {"schema": "", "databases": []}}, "SELECT 1")
