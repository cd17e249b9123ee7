"""What changed between two releases, worked out at a bounded cost."""

from hub_server.site.pages.diff.differences import MOST_FILES, ReleaseFiles, compare_releases, line_hunks


def files(version: str, contents: dict[str, bytes]) -> ReleaseFiles:
    return ReleaseFiles(version, {path: str(hash(data)) for path, data in contents.items()}, contents.__getitem__)


def test_a_diff_names_each_file_once_and_ignores_the_wheels_own_records() -> None:
    old = files("1.0", {"p/a.py": b"x = 1\ny = 2\n", "p/gone.py": b"1\n", "p/b.bin": b"\xff\x00", "p-1.0.dist-info/RECORD": b"1", "p-1.0.dist-info/METADATA": b"Version: 1.0\n"})  # fmt: skip
    new = files("1.1", {"p/a.py": b"x = 1\ny = 3\n", "p/new.py": b"1\n", "p/b.bin": b"\xff\x01", "p-1.1.dist-info/RECORD": b"2", "p-1.1.dist-info/METADATA": b"Version: 1.1\n"})  # fmt: skip
    changes = {change.path: change for change in compare_releases(old, new)[0]}
    assert {path: change.what for path, change in changes.items()} == {
        "p.dist-info/METADATA": "changed",
        "p/a.py": "changed",
        "p/b.bin": "changed",
        "p/gone.py": "removed",
        "p/new.py": "added",
    }
    assert (changes["p/a.py"].added, changes["p/a.py"].removed) == (1, 1)
    assert changes["p/b.bin"].note == "This file is not text."


def test_files_whose_lines_are_equal_say_what_differs() -> None:
    old = files("1.0", {"p/a.py": b"x\ny\n"})
    new = files("1.1", {"p/a.py": b"x\r\ny\r\n", "p/empty": b""})
    assert [(change.path, change.hunks, change.note) for change in compare_releases(old, new)[0]] == [
        ("p/a.py", [], "Only the ends of its lines differ."),
        ("p/empty", [], "This file is empty."),
    ]


def test_a_comment_is_not_shown_as_a_line_of_code() -> None:
    added = files("1.1", {"p/a.py": "x = 1  # note\u2028raise SystemExit\n".encode()})
    ((change,), _) = compare_releases(files("1.0", {}), added)
    assert [line.text for line in change.hunks[0]] == ["x = 1  # note\u2028raise SystemExit"]


def test_hunks_carry_the_line_numbers_of_both_sides() -> None:
    old = [str(k) for k in range(40)]
    new = [*old[:20], "twenty", *old[21:]]
    (hunk,) = line_hunks(old, new)
    assert [(line.kind, line.old, line.new) for line in hunk][3:5] == [("cut", 21, None), ("add", None, 21)]


def test_many_and_large_files_are_named_but_not_compared() -> None:
    before = {f"p/{k:05}.txt": b"a\n" * 3000 for k in range(1000)}
    after = dict.fromkeys(before, b"b\n" * 3000)
    releases = [
        ReleaseFiles(version, {path: version + path for path in contents}, contents.__getitem__)
        for version, contents in (("1", before), ("2", after))
    ]
    changes, left_out = compare_releases(releases[0], releases[1])
    assert (len(changes), left_out) == (MOST_FILES, 1000 - MOST_FILES)
    assert changes[0].hunks
    assert "Too large to show" in changes[-1].note
    assert sum(len(hunk) for change in changes for hunk in change.hunks) < 30_000
