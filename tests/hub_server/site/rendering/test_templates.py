"""Filters of the templates."""

import struct
from html import unescape
from urllib.parse import urlsplit

import pytest
from markdown_it import MarkdownIt

from hub_server.site.rendering.templates import breakable, environment, markdown_cell
from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api


@pytest.mark.parametrize(
    "hostile", ["a | b", "<script>x</script>", "[x](javascript:y)", "# title\n\n- list", "![i](u)", "`` ` ``"]
)
def test_a_strangers_text_means_nothing_in_markdown(hostile: str) -> None:
    html = MarkdownIt("commonmark").enable("table").render(f"| a |\n|---|\n| {markdown_cell(hostile)} |\n")
    assert html.count("<td>") == 1
    assert not [tag for tag in ("<script", "<a ", "<img", "<h1", "<li", "<code") if tag in html]
    assert " ".join(hostile.split()) in unescape(html)


def test_every_page_names_a_png_by_its_whole_address_and_in_its_true_size(reader: Browser, catalogue: Api) -> None:
    for path in ("/", "/packages/alice/small-sums", "/no/such/page"):
        page = reader.get(path)
        said = {one["property"]: one["content"] for one in page.all("meta") if "property" in one}
        address = urlsplit(said["og:image"])
        assert (address.scheme, address.netloc) == ("http", "hub.test"), "previewers follow whole addresses alone"
        answer = catalogue.get(f"{address.path}?{address.query}")
        assert answer.headers["content-type"] == "image/png"
        assert answer.content.startswith(b"\x89PNG\r\n\x1a\n")
        size = struct.unpack(">II", answer.content[16:24])
        assert [str(one) for one in size] == [said["og:image:width"], said["og:image:height"]]
        assert page.all("meta", name="twitter:card")


def test_a_template_has_the_environments_names_and_no_copy_of_them() -> None:
    """Jinja's chain of mappings is copied name by name for each template that a page imports."""
    template = environment().get_template("package/package_page.html")
    assert template.globals is environment().globals


def test_a_name_given_to_one_template_is_refused() -> None:
    """It would be there for every template and every later reader, since all share the environment's names."""
    name = "package/package_page.html"
    environment().get_template(name)
    for make in (
        lambda: environment().get_template(name, globals={"own": 1}),
        lambda: environment().select_template([name], globals={"own": 1}),
        lambda: environment().get_or_select_template([name], globals={"own": 1}),
        lambda: environment().from_string("", globals={"own": 1}),
    ):
        with pytest.raises(TypeError, match="names of its own"):
            make()
        assert "own" not in environment().globals


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("lecture/plain-style@0.1.0", ["lecture/", "plain-", "style", "@0.1.0"]),
        ("src/al_x/one.py", ["src/", "al_", "x/", "one.", "py"]),
        ("data/v1.2.jsonl", ["data/", "v1.2.", "jsonl"]),
    ],
)
def test_a_reference_breaks_at_its_separators_and_never_within_its_version(text: str, parts: list[str]) -> None:
    assert str(breakable(text)).split("<wbr>") == parts
