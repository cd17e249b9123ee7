"""The slowest texts that the limits let through cost a request little CPU (decision 37). Each was found by trying."""

import time
from bisect import bisect_left
from collections.abc import Callable
from pathlib import Path

import pytest

from hub_server.site.pages.code import MOST_LINES
from hub_server.site.pages.diff.differences import ReleaseFiles, compare_releases
from hub_server.site.rendering.highlighter import MOST_CHARACTERS, highlighted_lines
from hub_server.site.rendering.markdown import (
    MOST_README_CHARACTERS,
    affordable,
    as_typed,
    render_post,
    render_readme,
)
from schemas.discussions import MOST_POST_CHARACTERS

MOST_CPU_SECONDS = 0.3
SLOW = {
    "a narrow table": ("a|\n-|\n", "a\n"),
    "brackets that nothing closes": ("", "["),
    "images in images": ("", "!["),
    "a list of short items": ("", "- a\n"),
    "a numbered list": ("", "1. a\n"),
    "short paragraphs": ("", "a\n\n"),
    "headings": ("", "# a\n"),
    "tables": ("", "|a|b|\n|-|-|\n\n"),
    "lists in quotes": ("", "> - a\n"),
    "marks of two kinds": ("", "**_*a_"),
    "words with underscores": ("", "a_b_"),
    "links to one place": ("[a]: b\n\n", "[a]\n"),
    "emphasis in links": ("", "[*a](b)"),
    "keywords": ("Code:\n```python\n", "if def a "),
    "backticks": ("", "`a``"),
    "sections of no kind": ("", "<![CDATA["),
}
ROOT = Path(__file__).parents[3]


def cpu_seconds(work: Callable[[], object]) -> float:
    """The least of three tries: what else the machine does makes a try slower, never faster."""
    tries = []
    for _ in range(3):
        began = time.thread_time()
        work()
        tries.append(time.thread_time() - began)
    return min(tries)


def text_of(kind: str, length: int) -> str:
    head, repeated = SLOW[kind]
    return (head + repeated * (length // len(repeated)))[:length]


@pytest.mark.parametrize("kind", SLOW)
def test_a_readme_that_was_made_to_be_slow_is_cut_in_time(kind: str) -> None:
    text = text_of(kind, MOST_README_CHARACTERS)
    assert cpu_seconds(lambda: render_readme.__wrapped__(text, link_base="/x/code", drop_title="")) < MOST_CPU_SECONDS


@pytest.mark.parametrize("kind", SLOW)
def test_a_page_of_posts_that_were_made_to_be_slow_is_shown_in_time(kind: str) -> None:
    """A page shows as many posts as have the length of a README together; each takes its part of the budget."""
    posts = MOST_README_CHARACTERS // MOST_POST_CHARACTERS
    lengths = range(MOST_POST_CHARACTERS + 1)
    dear_from = bisect_left(lengths, True, key=lambda length: not all(affordable([text_of(kind, length)] * posts)))
    text = text_of(kind, dear_from - 1)
    assert cpu_seconds(lambda: [render_post.__wrapped__(text) for _ in range(posts)]) < MOST_CPU_SECONDS


def test_the_dearest_texts_of_a_page_are_shown_as_they_were_typed() -> None:
    dear, cheap = text_of("tables", 5000), "A *word*."
    assert affordable([dear, cheap, dear, cheap]) == [True, True, False, True]
    assert as_typed("<b>") == '<pre tabindex="0"><code>&lt;b&gt;</code></pre>'


def test_what_people_write_is_formatted_whole() -> None:
    page = (ROOT / "docs" / "how_to" / "run_a_hub.md").read_text()
    assert len(page) > 30_000
    assert not render_readme(page, link_base="", drop_title="")[1]
    posts = ["Some words of a post, and a call of `score`:\n\n```python\nscore(task, [response])\n```\n" * 8] * 30
    assert all(affordable(posts))


@pytest.mark.parametrize("line", ["#\n", '""\n', "if def a\n", '""1' * 13 + "\n", '""1'])
def test_a_file_that_was_made_to_be_slow_is_coloured_in_time(line: str) -> None:
    text = (
        line * min(MOST_LINES, MOST_CHARACTERS // len(line)) if line.endswith("\n") else line * (MOST_CHARACTERS // 3)
    )
    assert cpu_seconds(lambda: highlighted_lines.__wrapped__(text, "x.py")) < MOST_CPU_SECONDS


@pytest.mark.parametrize("step", [1, 7, 1999])
def test_releases_that_share_few_lines_are_compared_in_time(step: int) -> None:
    """``step``: how far a line moves among 4000."""

    def side(version: str, factor: int) -> ReleaseFiles:
        lines = "".join(f"{number * factor % 4001}\n" for number in range(4000)).encode()
        paths = [f"f{number}.py" for number in range(100)]
        return ReleaseFiles(version, dict.fromkeys(paths, version), lambda _: lines)

    assert cpu_seconds(lambda: compare_releases(side("1", 1), side("2", step + 1))) < MOST_CPU_SECONDS
