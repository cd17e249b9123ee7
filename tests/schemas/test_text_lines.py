import pytest

from schemas.text_lines import text_lines


@pytest.mark.parametrize("text", ["", "a", "a\n", "a\n\nb", "a\r\nb\r\n", "a\rb", "\n", "\n\n"])
def test_lines_end_where_pythons_own_do(text: str) -> None:
    assert text_lines(text) == text.splitlines()


@pytest.mark.parametrize("sign", ["\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"])
def test_what_python_reads_on_in_a_comment_ends_no_line(sign: str) -> None:
    source = f"# a comment{sign}raise SystemExit\n"
    exec(compile(source, "source", "exec"))  # Python sees one comment
    assert text_lines(source) == [source[:-1]]
