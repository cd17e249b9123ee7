"""No sentence of a page is too long to be read at once."""

from pathlib import Path

import pytest

from tests.docs.pages import DOCS, ROOT
from tests.docs.sentences import sentences_of, words_in

MOST_WORDS = 40
PAGES = [*sorted(DOCS.rglob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_sentence_has_more_than_forty_words(page: Path) -> None:
    long = {one.strip(): words_in(one) for one in sentences_of(page.read_text()) if words_in(one) > MOST_WORDS}
    assert long == {}, "say the rule first, then the reason, in sentences of their own"


def test_a_long_sentence_is_found_though_lines_break_it() -> None:
    page = "# Title\n\nShort one. A " + "word\n" * 40 + "ends\n\nNext.\n"
    assert [words_in(one) for one in sentences_of(page)] == [2, 42, 1]


@pytest.mark.parametrize(
    "apart",
    [
        "```text\n" + "word " * 50 + "\n```",
        "| " + "word " * 50 + "|",
        "> " + "word " * 50,
        "`" + "word " * 50 + "`",
        '"' + "word " * 50 + '"',
        ", ".join(["`word`"] * 50),
        "[link](https://example.org/" + "word " * 50 + ")",
    ],
    ids=["block", "table", "quote", "code", "quoted", "names", "target"],
)
def test_tables_code_and_quoted_text_count_as_one_word_at_most(apart: str) -> None:
    assert all(words_in(one) <= 1 for one in sentences_of(f"{apart}\n"))


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("One two. Three.", [2, 1]),
        ("**One two.** Three (four). `code` five!", [2, 2, 2]),
        ("- one\n- two three\n  four\n1. five\n", [1, 3, 1]),
        ("One, e.g. two, costs 1.5 ms · three.", [7]),
        ("One – two", [2]),
    ],
)
def test_where_a_sentence_ends(page: str, words: list[int]) -> None:
    assert [words_in(one) for one in sentences_of(page)] == words
