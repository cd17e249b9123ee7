"""A stranger's README: harmless, whole, and rendered at a bounded cost."""

import re
import resource
import subprocess
import sys
from html.parser import HTMLParser

import pytest

from hub_server.site.rendering.markdown import MOST_README_CHARACTERS, render_markdown, render_readme

CPU_SECONDS = 20


class Elements(HTMLParser):
    """The elements and attributes that a browser would see."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: list[tuple[str, str]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]


def run_limited(code: str) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))

    done = subprocess.run([sys.executable, "-c", code], preexec_fn=limit, check=False)
    assert done.returncode == 0, f"ended with {done.returncode}: more than {CPU_SECONDS} s of CPU time"


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        "[x](//evil.example/a)",
        "[x](\\\\evil.example/a)",
        "[x](../../../login)",
        "![x](https://tracker.example/pixel.gif)",
        "<iframe src='https://evil.example'></iframe>",
        "<a href='https://e.example' onclick='x()'>y</a>",
        "<style>body{display:none}</style>",
        "```html\n</code></pre><script>alert(1)</script>\n```",
        "    </pre><script>alert(1)</script>",
        "<svg><animate onbegin=alert(1)></svg>",
        "[a]: javascript:alert(1)\n\n[a]",
        "<h1 id='main'>taken over</h1>",
        "<form action=/logout method=post><button>x</button></form>",
    ],
)
def test_nothing_runs_loads_or_leaves_its_place(hostile: str) -> None:
    seen = Elements(str(render_markdown(hostile, link_base="/packages/a/b/releases/1/code")))
    assert seen.names <= {"p", "a", "pre", "code", "span", "blockquote"}
    assert {name for name, _ in seen.attributes} <= {"href", "rel", "tabindex", "class", "title"}
    for name, value in seen.attributes:
        if name == "href":
            assert value.startswith(("#", "/packages/a/b/", "https://", "http://", "mailto:"))


def test_no_level_of_headings_is_left_out_whatever_the_text_does() -> None:
    text = "## Part\n\n#### Deep\n\n#### Beside\n\n### Less deep\n\n# Top\n\n###### Deepest\n\nUnderlined\n---\n"
    levels = re.findall(r"<(h\d)>", str(render_markdown(text)))
    assert levels == ["h2", "h3", "h3", "h3", "h2", "h3", "h3"]


def test_the_page_keeps_its_only_first_heading() -> None:
    drawn = render_markdown("# Other title\n\n## Part\n\ntext")
    assert "<h1" not in drawn
    assert "<h2>Other title</h2>" in drawn
    assert "<h3>Part</h3>" in drawn


@pytest.mark.parametrize(
    "title", ["change-making", "Change making", "lecture/change-making", "`lecture/change-making`"]
)
def test_a_title_that_repeats_the_name_is_left_out(title: str) -> None:
    assert "<h" not in render_markdown(f"# {title}\n\ntext", drop_title="lecture/change-making")


def test_links_into_the_project_lead_to_its_files() -> None:
    drawn = render_markdown("[code](src/pkg/check.py)", link_base="/packages/a/b/releases/1/code")
    assert 'href="/packages/a/b/releases/1/code/src/pkg/check.py"' in drawn


def test_links_elsewhere_earn_nothing_and_leak_nothing() -> None:
    assert 'rel="nofollow noopener noreferrer ugc"' in render_markdown("[x](https://example.org)")


def test_an_image_is_its_description() -> None:
    assert "[image: a plot]" in render_markdown("![a plot](plot.png)")


def test_tables_scroll_by_keyboard() -> None:
    assert '<div class="scroll" tabindex="0"><table class="data">' in render_markdown("|a|\n|-|\n|1|\n")


def test_deep_nesting_ends() -> None:
    assert render_markdown(">" * 3000 + " x")
    assert render_markdown("[" * 3000)


def test_a_readme_is_rendered_up_to_a_length() -> None:
    run_limited(
        "from hub_server.site.rendering.markdown import render_readme\n"
        "for part in ('[', '![', '|a', '*_', 'a\\n'):\n"
        "    render_readme(part * 500_000, link_base='', drop_title='')\n"
    )


def test_a_large_readme_is_cut_at_a_line_and_says_so() -> None:
    shown, is_cut = render_readme("word word\n\n" * 100_000, link_base="", drop_title="")
    assert is_cut
    assert len(shown) < 3 * MOST_README_CHARACTERS
    assert str(shown).rstrip().endswith("<p>word word</p>")
    assert not render_readme("short", link_base="", drop_title="")[1]


def test_a_wide_table_of_short_rows_makes_no_page_of_empty_cells() -> None:
    wide = "|" + "a|" * 1000 + "\n|" + "-|" * 1000 + "\n" + "|\n" * 2500
    assert render_markdown(wide).count("<td") < 3500, "the parser fills up to 65,536 cells by itself"
    assert render_markdown("|a|b|\n|-|-|\n|1|\n").count("<td") == 2, "a short row is filled all the same"
