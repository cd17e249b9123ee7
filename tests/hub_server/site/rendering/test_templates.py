"""Filters of the templates."""

from html import unescape

import pytest
from markdown_it import MarkdownIt

from hub_server.site.rendering.templates import markdown_cell


@pytest.mark.parametrize(
    "hostile", ["a | b", "<script>x</script>", "[x](javascript:y)", "# title\n\n- list", "![i](u)", "`` ` ``"]
)
def test_a_strangers_text_means_nothing_in_markdown(hostile: str) -> None:
    html = MarkdownIt("commonmark").enable("table").render(f"| a |\n|---|\n| {markdown_cell(hostile)} |\n")
    assert html.count("<td>") == 1
    assert not [tag for tag in ("<script", "<a ", "<img", "<h1", "<li", "<code") if tag in html]
    assert " ".join(hostile.split()) in unescape(html)
