"""Five more cheats for each environment, made by somebody who had read its verifier: none earns a fifth.

Experts, lazy agents and the first cheats of each environment are in its own folder (``agents.py``) and test.
"""

import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from schemas.measures.weighted_sum import weighted_sum
from tests.collection import hedging_cheats as hedging
from tests.collection import session_cheats as sessions
from tests.collection import text_cheats as texts
from tests.docs.agents_page import PAGE_ROWS

MOST = 0.2
TASKS = 24

CHEATS: dict[str, dict[str, Callable[[Any], Any]]] = {
    "mail-assistant": {
        each.__name__: each
        for each in (sessions.mail_newest_number, sessions.mail_both_values, sessions.mail_denies_with_a_value)
    },
    "sql-questions": {
        each.__name__: sessions.sql_answer(each)
        for each in (sessions.sql_all_in_one, sessions.sql_counts, sessions.sql_reads_the_schema)
    },
    "instructions": {
        each.__name__: each
        for each in (
            texts.instructions_needed_alone,
            texts.instructions_every_second_form,
            texts.instructions_hidden_words,
        )
    },
    "function-calls": {
        each.__name__: each
        for each in (
            sessions.function_by_words,
            sessions.function_declines_and_acts,
            sessions.function_words_of_success,
        )
    },
    "grid-rules": {
        each.__name__: sessions.grid_presses(each)
        for each in (sessions.grid_de_bruijn, sessions.grid_spiral, sessions.grid_one_long)
    },
    "json-shape": {
        "nearest_word": texts.json_filled(texts.json_nearest_word),
        "last_everything": texts.json_filled(texts.json_last_everything),
        "every_reading": texts.json_every_reading,
    },
    "service-desk": {
        each.__name__: each
        for each in (
            sessions.service_refuses_all_reasons,
            sessions.service_passes_on_after_looking,
            sessions.service_cancels_at_once,
        )
    },
    "connections": {
        "by_last_letters": sessions.connections_by(lambda word: word[::-1]),
        "by_vowels": sessions.connections_by(lambda word: re.sub(r"[^AEIOUaeiou]", "", word)),
        "columns": sessions.connections_columns,
    },
    "honest-headline": {
        each.__name__: each for each in (texts.headline_longest, texts.headline_second, texts.headline_two_lines)
    },
    "cited-search": {
        each.__name__: each
        for each in (
            sessions.cited_most_common_name,
            sessions.cited_quotes_the_question,
            sessions.cited_opens_all_and_abstains,
        )
    },
    "tools-under-attack": {
        each.__name__: each
        for each in (
            sessions.attack_asks_the_text,
            sessions.attack_answers_with_a_sum,
            sessions.attack_reads_nothing_and_shares,
        )
    },
    "table-questions": {
        "first_shown": sessions.table_answer(sessions.table_first_shown),
        "range": sessions.table_answer(sessions.table_range, "%"),
        "every_digit": sessions.table_answer(sessions.table_every_digit),
    },
}
HEDGING: dict[str, list[Callable[[Any], Any]]] = {
    "mail-assistant": [hedging.mail_hides_a_second_value, hedging.mail_reads_after_answering],
    "sql-questions": [sessions.sql_answer(hedging.sql_nothing), sessions.sql_answer(hedging.sql_most_events)],
    "instructions": [hedging.instructions_extras_only, hedging.instructions_words_in_the_title],
    "function-calls": [hedging.function_every_tool, hedging.function_asks_for_a_room],
    "grid-rules": [hedging.grid_keeps_what_moves, hedging.grid_replays_the_first_level],
    "json-shape": [hedging.json_whole_text, hedging.json_two_objects_in_a_list],
    "service-desk": [hedging.service_tells_every_date, hedging.service_forges_what_tools_say],
    "connections": [hedging.connections_hides_more_words, hedging.connections_common_letters],
    "honest-headline": [hedging.headline_shortest, hedging.headline_takes_it_back],
    "cited-search": [hedging.cited_every_name, hedging.cited_denies_with_quotes],
    "tools-under-attack": [hedging.attack_deletes_everything, hedging.attack_books_the_first_day],
    "table-questions": [
        sessions.table_answer(hedging.table_all_names),
        sessions.table_answer(hedging.table_number_and_its_parts),
    ],
}
for _name, _cheats in HEDGING.items():
    CHEATS[_name] |= {each.__name__: each for each in _cheats}
GIVEN = [(name, cheat) for name, cheats in CHEATS.items() for cheat in cheats]


def of_the_best(package: Any, project: Any, cheat: Callable[[Any], Any]) -> float:
    """What the cheat earns on the test split, as a share of what can be earned."""
    rows = project.rows("test.jsonl")
    declared = project.manifest.rewards
    most = weighted_sum(
        {name: 0.0 if reward.role == "metric" else reward.range[1] for name, reward in declared.items()}, declared
    )
    sums = []
    for task in Random(7).sample(rows, TASKS):  # every n-th would be of one family, since families take turns
        if project.manifest.session:
            it = sessions.Episode(package, task)
            cheat(it)
            got = package.verify(task, it.state())
        else:
            got = package.verify(task, cheat(task["prompt"]))
        sums.append(weighted_sum(got, declared))
    return sum(sums) / len(sums) / most


@pytest.mark.parametrize(("name", "cheat"), GIVEN, ids=[f"{name}-{cheat}" for name, cheat in GIVEN])
def test_it_earns_less_than_a_fifth_and_what_the_page_says(package_of, projects, name, cheat):
    earned = of_the_best(package_of(name), projects[name], CHEATS[name][cheat])
    assert earned < MOST
    said = {words: number for words, number in PAGE_ROWS[name].cheats.items() if cheat.endswith(words)}
    assert list(said.values()) == [round(100 * earned)], "docs/reference/agents.md"


def test_a_right_answer_earns_all(package_of, projects):
    """Or the tests above could not fail."""
    rows = {task["prompt"]: task["answer"] for task in projects["json-shape"].rows("test.jsonl")}
    assert of_the_best(package_of("json-shape"), projects["json-shape"], lambda prompt: json.dumps(rows[prompt])) == 1.0
