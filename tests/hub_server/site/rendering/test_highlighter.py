"""Code is coloured at a bounded cost, and all of its text stays."""

import resource
import subprocess
import sys

import pytest

from hub_server.site.rendering.highlighter import MOST_CHARACTERS, highlight, highlighted_lines

CPU_SECONDS = 20


def run_limited(code: str) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))

    done = subprocess.run([sys.executable, "-c", code], preexec_fn=limit, check=False)
    assert done.returncode == 0, f"ended with {done.returncode}: more than {CPU_SECONDS} s of CPU time"


def test_colouring_is_linear_whatever_the_text() -> None:
    run_limited(
        "from hub_server.site.rendering.highlighter import highlight\n"
        'for language in ("html", "python", "js", "sql", "toml"):\n'
        "    for part in ('<!--', '\"\"\"\\\\', '/*', 'r\"'):\n"
        f"        highlight((part * {MOST_CHARACTERS})[:{MOST_CHARACTERS}], language=language)\n"
    )


@pytest.mark.parametrize(
    ("language", "code", "wanted"),
    [
        ("python", 'x = """a\n# b"""  # c', ['string">&#34;&#34;&#34;a\n# b&#34;&#34;&#34;', 'comment"># c']),
        ("python", "s = 'it\\'s'; return s", ['string">&#39;it\\&#39;s&#39;', 'keyword">return']),
        ("bash", "if true; then echo '#' # no\nfi", ['keyword">if', 'string">&#39;#&#39;', 'comment"># no']),
        ("js", "const a = `x` // y", ['keyword">const', 'string">`x`', 'comment">// y']),
        ("toml", 'a = "b" # c', ['string">&#34;b&#34;', 'comment"># c']),
        ("html", "<!-- a --> b", ['comment">&lt;!-- a --&gt;']),
    ],
)  # fmt: skip
def test_strings_comments_and_keywords_are_told_apart(language: str, code: str, wanted: list[str]) -> None:
    drawn = str(highlight(code, language=language))
    for part in wanted:
        assert f'<span class="{part}</span>' in drawn


def test_all_text_stays() -> None:
    code = 'def f(): return "<b>"  # note\n\n"""open'
    assert "\n".join(line.striptags() for line in highlighted_lines(code, "a.py")).split() == code.split()


def test_code_is_coloured_with_three_classes_and_escaped() -> None:
    drawn = highlight('def f(): return "<b>"  # note', language="python")
    assert '<span class="keyword">def</span>' in drawn
    assert '<span class="comment"># note</span>' in drawn
    assert "<b>" not in drawn


def test_an_unknown_language_is_plain_text() -> None:
    assert highlight("<x>", language="no-such-language") == "&lt;x&gt;"


def test_lines_stay_lines_even_inside_a_long_string() -> None:
    code = 'x = """one\ntwo\nthree"""\ny = 1\n'
    lines = highlighted_lines(code, "a.py")
    assert len(lines) == 4
    assert all(line.count("<span") == line.count("</span>") for line in lines)
