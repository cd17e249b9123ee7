"""Tasks: a field, a question, and databases. Nothing of a test field is in the training split."""

import re
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from lecture_sql_questions.domains import DOMAINS, EVEN, Domain
from lecture_sql_questions.questions import LEVELS, Question
from lecture_sql_questions.running import Row, run_query

HIDDEN, DIFFERENT = 14, 4
"""Databases that decide, beside one with equal sums; how many different results they give at least."""
ASK = (
    "The database (SQLite) has these tables:\n\n{schema}\n\n{question}\n\nAnswer with one SELECT statement in a code "
    "block marked sql. It must be right for any rows, not only for those that are there now. Columns in the order of "
    "the question; their names do not matter."
)


@dataclass(frozen=True)
class Case:
    """What a task stands for."""

    domain: Domain
    question: Question
    shown: str
    hidden: tuple[str, ...]
    """Seeds of the databases."""

    @property
    def gold(self) -> str:
        """The right query."""
        return self.question.gold

    @property
    def is_ordered(self) -> bool:
        """Whether the question asks for an order."""
        return self.question.is_ordered

    def rows(self, seed: str, sql: str) -> list[Row]:
        """What a query gives on one of the databases. Raises :class:`QueryError`."""
        return run_query(self.domain, seed, sql, limits_of(self.question))

    def right_rows(self, seed: str) -> tuple[Row, ...]:
        """What the right query gives on one of the databases."""
        return _right_rows(self.domain, seed, self.gold, limits_of(self.question))


@lru_cache(maxsize=64)
def _right_rows(domain: Domain, seed: str, gold: str, limits: tuple[int | str, ...]) -> tuple[Row, ...]:
    """Kept for the next answer: the answers to one task come together. Four tasks' databases, 100 kB or so."""
    return tuple(run_query(domain, seed, gold, limits))


def make_task(split: str, seed: int, index: int) -> dict:
    """Task ``index`` of ``split``: the same for the same arguments. Gold query and hidden databases are not in it."""
    case = case_of(split, seed, index)
    level, family = family_of(index)
    return {
        "id": f"{family}-{split}-{seed}-{index}",
        "prompt": ASK.format(schema=case.domain.schema, question=case.question.words),
        "info": {"split": split, "seed": seed, "index": index},
        "tags": [level, family, case.domain.events],
        "split": split,
    }


def limits_of(question: Question) -> tuple[int | str, ...]:
    """The small numbers and the days of a question's query."""
    numbers = {int(number) for number in re.findall(r"(?<![\w'-])\d{1,2}(?![\d'-])", question.gold)}
    return (*sorted(numbers), *sorted(set(re.findall(r"\d{4}-\d\d-\d\d", question.gold))))


def family_of(index: int) -> tuple[str, str]:
    """Level and family, in turn."""
    level = list(LEVELS)[index % len(LEVELS)]
    families = LEVELS[level]
    return level, families[index // len(LEVELS) % len(families)].__name__.replace("_", "-")


@lru_cache(maxsize=64, typed=True)  # typed: 1 and 1.0 are numbers of different tasks
def case_of(split: str, seed: int, index: int) -> Case:
    """Field, question and databases by number. The right rows differ between databases, and most have some."""
    random = Random(f"sql:{split}:{seed}:{index}")
    level = list(LEVELS)[index % len(LEVELS)]
    family = LEVELS[level][index // len(LEVELS) % len(LEVELS[level])]
    place = 0
    while True:
        domain = random.choice(DOMAINS[split])
        question = family(domain, random)
        seeds = [f"{split}:{seed}:{index}:{place}:{number}" for number in range(HIDDEN + 1)]
        results = [run_query(domain, each, question.gold, limits_of(question)) for each in seeds]
        if _tell_apart(results):
            return Case(domain, question, seeds[0], (*seeds[1:], f"{seeds[0]}{EVEN}"))
        place += 1


def _tell_apart(results: list[list[Row]]) -> bool:
    told = [rows for rows in results if rows and rows != [(0,)]]
    return len(told) > len(results) / 2 and len({repr(rows) for rows in results}) >= DIFFERENT
