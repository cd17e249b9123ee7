"""Questions about a database, each with the query that answers it. A question says its columns, order and ties."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from lecture_sql_questions.domains import CITIES, YEARS, Domain


@dataclass(frozen=True)
class Question:
    """``is_ordered``: whether the order of the rows counts."""

    words: str
    gold: str
    is_ordered: bool = False


def in_city(d: Domain, random: Random) -> Question:
    city, age = random.choice(CITIES), 5 * random.randint(5, 11)
    words = f"How many {d.left} from {city} have {d.left_number} {age} or more?"
    return Question(words, f"SELECT COUNT(*) FROM {d.left} WHERE city = '{city}' AND {d.left_number} >= {age}")


def sorted_names(d: Domain, random: Random) -> Question:
    kind, least = random.choice(d.kinds), 10 * random.randint(2, 7)
    words = (
        f"Give the names of the {d.right} whose {d.right_kind} is not '{kind}' and whose {d.right_number} is "
        f"above {least}, in alphabetical order."
    )
    gold = f"SELECT name FROM {d.right} WHERE {d.right_kind} <> '{kind}' AND {d.right_number} > {least} ORDER BY name"
    return Question(words, gold, is_ordered=True)


def in_year(d: Domain, random: Random) -> Question:
    year, least = random.choice(YEARS), random.randint(3, 7)
    words = f"How many {d.events} in {year} have {d.amount} of at least {least}? Days are written YYYY-MM-DD."
    return Question(words, f"SELECT COUNT(*) FROM {d.events} WHERE day LIKE '{year}-%' AND {d.amount} >= {least}")


def between_days(d: Domain, random: Random) -> Question:
    first, last = sorted(random.sample(range(1, 13), 2))
    year = random.choice(YEARS)
    words = (
        f"What is the sum of {d.amount} of all {d.events} from {year}-{first:02d}-10 to {year}-{last:02d}-20, "
        "both days included? Give 0 if there is none."
    )
    gold = (
        f"SELECT COALESCE(SUM({d.amount}), 0) FROM {d.events} WHERE day BETWEEN '{year}-{first:02d}-10' AND "
        f"'{year}-{last:02d}-20'"
    )
    return Question(words, gold)


def large_groups(d: Domain, random: Random) -> Question:
    least = random.randint(2, 3)
    words = (
        f"For each {d.right_kind} with at least {least} {d.right}: the {d.right_kind}, and the average "
        f"{d.right_number} of its {d.right}."
    )
    gold = (
        f"SELECT {d.right_kind}, AVG({d.right_number}) FROM {d.right} GROUP BY {d.right_kind} HAVING COUNT(*) >= "
        f"{least}"
    )
    return Question(words, gold)


def best_three(d: Domain, random: Random) -> Question:
    year = random.choice(YEARS)
    words = (
        f"Which three {d.left} have the largest sum of {d.amount} over their {d.events} in {year}? Give name and "
        f"sum, the largest first; equal sums by name. {d.left.capitalize()} without {d.events} in {year} do not "
        "count."
    )
    gold = (
        f"SELECT l.name, SUM(e.{d.amount}) AS total FROM {d.left} l JOIN {d.events} e ON e.{d.left_key} = l.id "
        f"WHERE e.day LIKE '{year}-%' GROUP BY l.id ORDER BY total DESC, l.name LIMIT 3"
    )
    return Question(words, gold, is_ordered=True)


def without(d: Domain, random: Random) -> Question:
    kind = random.choice(d.kinds)
    words = (
        f"Give the names of the {d.left} who have no {d.event_words} with a {d.right_words} whose {d.right_kind} "
        f"is '{kind}'."
    )
    gold = (
        f"SELECT name FROM {d.left} WHERE id NOT IN (SELECT e.{d.left_key} FROM {d.events} e "
        f"JOIN {d.right} r ON r.id = e.{d.right_key} WHERE r.{d.right_kind} = '{kind}')"
    )
    return Question(words, gold)


def counts_of_all(d: Domain, random: Random) -> Question:
    city = random.choice(CITIES)
    words = (
        f"For every {d.left_words} who is not from {city}: the name, and how many {d.events} there are, 0 where "
        "there is none."
    )
    gold = (
        f"SELECT l.name, COUNT(e.id) FROM {d.left} l LEFT JOIN {d.events} e ON e.{d.left_key} = l.id "
        f"WHERE l.city <> '{city}' GROUP BY l.id"
    )
    return Question(words, gold)


def different_things(d: Domain, random: Random) -> Question:
    least = random.randint(2, 4)
    words = f"Give name and city of the {d.left} whose {d.events} are with at least {least} different {d.right}."
    gold = (
        f"SELECT l.name, l.city FROM {d.left} l JOIN {d.events} e ON e.{d.left_key} = l.id "
        f"GROUP BY l.id HAVING COUNT(DISTINCT e.{d.right_key}) >= {least}"
    )
    return Question(words, gold)


def above_average(d: Domain, random: Random) -> Question:
    year = random.choice(YEARS)
    words = (
        f"Look only at {d.events} after the end of {year - 1}. For each {d.left_words} with any of these, take the sum "
        f"of their {d.amount}. Give the names of those whose sum is above the average of these sums."
    )
    gold = (
        f"WITH sums AS (SELECT {d.left_key} AS id, SUM({d.amount}) AS total FROM {d.events} WHERE day >= "
        f"'{year}-01-01' "
        f"GROUP BY {d.left_key}) SELECT l.name FROM sums s JOIN {d.left} l ON l.id = s.id "
        "WHERE s.total > (SELECT AVG(total) FROM sums)"
    )
    return Question(words, gold)


def largest_of_kind(d: Domain, random: Random) -> Question:
    most = 10 * random.randint(6, 9)
    words = (
        f"Look at the {d.right} whose {d.right_number} is at most {most}. For each {d.right_kind}: the "
        f"{d.right_kind} and the name of the one with the largest {d.right_number}; of several, the first by name."
    )
    gold = (
        f"SELECT {d.right_kind}, name FROM (SELECT {d.right_kind}, name, ROW_NUMBER() OVER (PARTITION BY "
        f"{d.right_kind} "
        f"ORDER BY {d.right_number} DESC, name) AS place FROM {d.right} WHERE {d.right_number} <= {most}) "
        "WHERE place = 1"
    )
    return Question(words, gold)


def last_event(d: Domain, random: Random) -> Question:
    kind = random.choice(d.kinds)
    words = (
        f"For each {d.left_words} with {d.events} whose {d.right_words} is of another {d.right_kind} than "
        f"'{kind}': the name and the day of the last of these."
    )
    gold = (
        f"SELECT l.name, MAX(e.day) FROM {d.left} l JOIN {d.events} e ON e.{d.left_key} = l.id "
        f"JOIN {d.right} r ON r.id = e.{d.right_key} WHERE r.{d.right_kind} <> '{kind}' GROUP BY l.id"
    )
    return Question(words, gold)


def share(d: Domain, random: Random) -> Question:
    kind = random.choice(d.kinds)
    words = (
        f"What percentage of all {d.events} is with {d.right} whose {d.right_kind} is '{kind}'? Round to one decimal."
    )
    gold = (
        f"SELECT ROUND(100.0 * SUM(r.{d.right_kind} = '{kind}') / COUNT(*), 1) FROM {d.events} e "
        f"JOIN {d.right} r ON r.id = e.{d.right_key}"
    )
    return Question(words, gold)


def same_city(d: Domain, random: Random) -> Question:
    gap = 5 * random.randint(1, 3)
    words = (
        f"Give all pairs of {d.left} with different names from the same city whose {d.left_number} differs by "
        f"{gap} or less: both names, the one that comes first in the alphabet first."
    )
    gold = (
        f"SELECT a.name, b.name FROM {d.left} a JOIN {d.left} b ON a.city = b.city AND a.name < b.name "
        f"WHERE ABS(a.{d.left_number} - b.{d.left_number}) <= {gap}"
    )
    return Question(words, gold)


def every_kind(d: Domain, random: Random) -> Question:
    left_out = random.choice(d.kinds)
    words = (
        f"Which {d.left} have {d.events} with {d.right} of every {d.right_kind} that occurs among the {d.right}, "
        f"'{left_out}' aside? Give the names."
    )
    gold = (
        f"SELECT l.name FROM {d.left} l JOIN {d.events} e ON e.{d.left_key} = l.id JOIN {d.right} r ON r.id = "
        f"e.{d.right_key} "
        f"WHERE r.{d.right_kind} <> '{left_out}' GROUP BY l.id HAVING COUNT(DISTINCT r.{d.right_kind}) = "
        f"(SELECT COUNT(DISTINCT {d.right_kind}) FROM {d.right} WHERE {d.right_kind} <> '{left_out}')"
    )
    return Question(words, gold)


LEVELS: dict[str, list[Callable[[Domain, Random], Question]]] = {
    "easy": [in_city, sorted_names, in_year, between_days, large_groups],
    "medium": [best_three, without, counts_of_all, different_things, same_city],
    "hard": [above_average, largest_of_kind, last_event, share, every_kind],
}
"""Easy: one table. Medium: a join, a self-join or what is missing. Hard: a window, a division, or two steps."""
