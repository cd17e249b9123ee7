"""Lines of two texts matched at a bounded cost."""

import difflib
import itertools
import resource
import subprocess
import sys

import pytest

from hub_server.site.pages.diff.differences import line_hunks
from hub_server.site.pages.diff.patience_diff import matching_runs

CPU_SECONDS = 20


def run_limited(code: str) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))

    done = subprocess.run([sys.executable, "-c", code], preexec_fn=limit, check=False)
    assert done.returncode == 0, f"ended with {done.returncode}: more than {CPU_SECONDS} s of CPU time"


def test_comparing_is_fast_for_repeated_lines() -> None:
    run_limited(
        "from hub_server.site.pages.diff.differences import MOST_LINES, line_hunks\n"
        'line_hunks(["a", "b"] * (MOST_LINES // 2), ["b", "a", "a"] * (MOST_LINES // 3))\n'
        'line_hunks(["a"] * MOST_LINES, ["b", "a"] * (MOST_LINES // 2))\n'
        "line_hunks([str(k) for k in range(MOST_LINES)], [str(k) for k in reversed(range(MOST_LINES))])\n"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("abc", "abc"),
        ("", "abc"),
        ("abc", ""),
        ("abcde", "abXde"),
        ("aabbaab", "abab"),
        ("xaxbxcx", "xbxaxcx"),
        ("abcdefgh", "hgfedcba"),
        ("aaaa", "aa"),
    ],
)
def test_a_comparison_gives_back_both_texts(old: str, new: str) -> None:
    """Whatever is matched: same + cut is the old text, same + add the new one, in order."""
    runs = matching_runs(old, new)
    assert all(old[i : i + n] == new[j : j + n] for i, j, n in runs)
    assert all(a[0] + a[2] <= b[0] and a[1] + a[2] <= b[1] for a, b in itertools.pairwise(runs))
    padded = ["p"] * 5
    hunks = line_hunks([*padded, *old], [*padded, *new])
    lines = [line for hunk in hunks for line in hunk]
    if old != new:
        assert "".join(line.text for line in lines if line.kind != "add").endswith(old)
        assert "".join(line.text for line in lines if line.kind != "cut").endswith(new)


def test_a_comparison_of_ordinary_text_is_as_short_as_the_usual_one() -> None:
    old = [f"line {k}" for k in range(300)]
    new = [*old[:50], "new", *old[51:200], *old[220:], "end"]
    same = sum(n for _, _, n in matching_runs(old, new))
    usual = sum(block.size for block in difflib.SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks())
    assert same == usual
