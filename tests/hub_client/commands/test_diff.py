"""What changed between two releases: what they declare, and every file that has other bytes."""

import json

from hub_client.commands.diff import changed_files
from tests.making.wheel import CODE, MANIFEST, TASKS, make_wheel

OTHER = MANIFEST.replace('description = "the sum is right"', "range = [0.0, 2.0]\nweight = 0.5")


def test_rewards_splits_grade_and_lines_are_named(verihub, scripted):
    scripted.add(make_wheel())
    files = {"__init__.py": CODE.replace("strip()", "rstrip()"), "tasks.jsonl": TASKS + TASKS.replace("t", "u", 1)[:37] + "\n",
             "notes.txt": "new"}  # fmt: skip
    files["tasks.jsonl"] = TASKS + '{"id": "t3", "prompt": "1+2?", "answer": 3}\n'
    scripted.add(make_wheel(version="1.1.0", manifest=OTHER, package=files))
    said = verihub("diff", "alice/small-sums@1.0.0", "alice/small-sums@1.1.0")
    assert said.code == 0, said.err
    lines = said.out.splitlines()
    assert "  reward correct: [0, 1] score x 1 -> [0, 2] score x 0.5" in lines
    assert "  split train: 2 tasks -> 3 tasks" in lines
    assert "  1.0.0 measured: unmeasured" in lines
    assert "+ alice_small_sums/notes.txt" in lines
    assert "~ alice_small_sums/__init__.py" in lines
    assert any(line.startswith("+") and "rstrip()" in line for line in lines)
    assert not any("RECORD" in line for line in lines), "it restates the other files"
    names = verihub("diff", "alice/small-sums@1.0.0", "alice/small-sums@1.1.0", "-q").out.split()
    assert "alice_small_sums/notes.txt" in names
    found = json.loads(
        verihub("--format", "json", "diff", "--names-only", "alice/small-sums@1.0.0", "alice/small-sums@1.1.0").out
    )
    assert {"path": "alice_small_sums/notes.txt", "what": "added"} in found["files"]


def test_the_same_release_differs_in_nothing(verihub, scripted):
    scripted.add(make_wheel())
    said = verihub("diff", "alice/small-sums@1.0.0", "alice/small-sums")
    assert said.out.splitlines()[-1] == "0 files differ"


def test_what_is_no_text_or_too_long_is_named_without_lines():
    before = {"a": b"\xff\xfe", "b": b"x\n" * 5000, "c": b"same"}
    after = {"a": b"\xff", "b": b"y\n" * 5000, "c": b"same"}
    assert [(one.path, one.hunks, one.note) for one in changed_files(before, after)] == [
        ("a", (), "not text"),
        ("b", (), "too long to be compared line by line"),
    ]


def test_files_whose_lines_are_equal_say_what_differs():
    before = {"a": b"x\ny\n", "b": b"x\n", "c": b"x\n"}
    after = {"a": b"x\r\ny\r\n", "b": b"x", "c": b"x\n", "d": b""}
    assert [(one.path, one.hunks, one.note) for one in changed_files(before, after)] == [
        ("a", (), "only the ends of its lines differ"),
        ("b", (), "only the ends of its lines differ"),
        ("d", (), "empty"),
    ]


def test_a_comment_is_not_shown_as_a_line_of_code():
    (found,) = changed_files({"a.py": b""}, {"a.py": "x = 1  # note\u2028raise SystemExit\n".encode()})
    assert found.hunks == ("@@ -0,0 +1 @@", "+x = 1  # note\u2028raise SystemExit")


def test_a_terminal_is_not_driven_by_a_strangers_file(verihub, scripted):
    scripted.add(make_wheel())
    scripted.add(make_wheel(version="1.1.0", package={"evil.txt": "\x1b]0;owned\x07"}))
    assert "\x1b" not in verihub("diff", "alice/small-sums@1.0.0", "alice/small-sums@1.1.0").out
