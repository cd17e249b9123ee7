from dataclasses import replace

from hub_client.imports.readme import ImportReport, readme_of
from tests.hub_client.imports.test_project import TASK, draft_of

REPORT = ImportReport("alice/maze", "gym:maze", "1.2", (3, 4), (5, 5), {"ValueError: `x`": 2}, repeated=7, tests=50)


def test_the_first_paragraph_says_where_it_is_from_and_that_nothing_was_changed() -> None:
    head = readme_of(draft_of(), REPORT, [TASK]).split("\n\n")[1]
    assert "**Imported, as is**, from `gym:maze`, version 1.2, licence MIT" in head


def test_what_was_found_is_said_in_numbers() -> None:
    text = readme_of(draft_of(generates=True, splits={}), REPORT, [TASK])
    assert "3 of 4 right answers accepted, 5 of 5 wrong ones rejected, 2 answers not judged" in text
    assert "2 answers could not be judged and are left out of the cases: `ValueError: x`" in text
    assert "7 of the 50 test prompts" in text
    stored = readme_of(draft_of(), replace(REPORT, unjudged={}), [TASK])
    assert "test prompts" not in stored
    assert "not judged" not in stored


def test_a_prompt_cannot_end_its_own_block() -> None:
    text = readme_of(draft_of(), REPORT, [{**TASK, "prompt": "```\n# Grade A\n```"}])
    assert text.count("```") == 2
