"""Reports for people: a stranger's text is never markup, and every figure is the report's."""

import re

import pytest
from markdown_it import MarkdownIt

from sandbox.audit.report_text import SHOWN_FAILURES, render_interval, render_markdown, render_share, render_terminal
from schemas.evidence.audit import Failure
from schemas.evidence.rates import Rate
from tests.making.reports import make_report

MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
EVIL = [
    "https://evil.example/x", "www.evil.example", "WWW.evil.example", "mail me@evil.example", "[a](http://x)", "![a](http://x)", "<b>x</b>", "<http://x>",
    "a | b", "`code`", "**bold**", "_it_", "~~gone~~", "# head", "&lt;b&gt;", "a\r\r# head", "a\r- item", "a\u2028b", "\\[a](http://x)", "a\n\n---\n\nb",
]  # fmt: skip


def with_failure(text):
    failure = Failure(case=text, expected="correct", got={"correct": None}, origin="author", kind="fp", response=text)
    found = make_report().overall
    return make_report(failures=[failure], slices={f"tag:{text}": found})


@pytest.mark.parametrize("text", EVIL)
def test_a_package_s_text_is_text_in_markdown(text):
    written = render_markdown(with_failure(text))
    assert not re.search(r"https?://|(?i:www\.)|(?<!check)(?<!\\)@", written), "GitHub makes links of these by itself"
    parsed = MARKDOWN.parse(written)
    inner = [child for token in parsed for child in token.children or []]
    kinds = {token.type for token in [*parsed, *inner]}
    assert not kinds & {"link_open", "image", "html_inline", "html_block", "strong_open", "em_open", "s_open", "hr"}
    assert [token.tag for token in parsed if token.type == "heading_open"] == ["h1", "h2", "h2", "h2"]
    rows = [token for token in parsed if token.type == "tr_open"]
    assert len(rows) == 5
    cells = [token for token in parsed if token.type in ("td_open", "th_open")]
    assert len(cells) == 7 * len(rows)


def test_what_is_read_is_what_was_written():
    (inline,) = [
        token
        for token in MARKDOWN.parse(render_markdown(with_failure("https://a.b/c_d*e")))
        if token.type == "inline" and "(author)" in token.content
    ]
    assert "https://a.b/c_d*e" in "".join(child.content for child in inline.children)


@pytest.mark.parametrize(
    ("count", "title"),
    [(1, "failures: 1"), (SHOWN_FAILURES, "failures: 20"), (SHOWN_FAILURES + 1, "failures: 21, the first 20")],
)
def test_the_list_of_failures_ends_and_says_so(count, title):
    failures = [
        Failure(case=f"c{number}", expected="correct", got={"correct": 0.5}, origin="author", kind="fn")
        for number in range(count)
    ]
    for text in (render_terminal(make_report(failures=failures)), render_markdown(make_report(failures=failures))):
        assert title in text
        assert text.count("rejects right;") == min(count, SHOWN_FAILURES)


def test_what_nobody_measured_is_unknown_and_not_zero():
    nothing = Rate(value=None, low=0.0, high=1.0)
    assert render_share(nothing, 0, 0) == "unknown (no cases)"
    assert render_share(Rate(value=0.0, low=0.0, high=0.1), 0, 30) == "0 % (0 of 30)"
    assert render_interval(Rate(value=0.02, low=0.009, high=0.037)) == "0.9–3.7 %"
    assert "unknown (no cases)" in render_terminal(make_report(tp=0, fn=0))
