"""Names of files inside a wheel: what any system would refuse, rename or merge is refused here, with a remedy."""

import unicodedata
from pathlib import PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.wheels.archive_names import MAX_PART_BYTES, MAX_PATH_BYTES, check_names, name_fault
from schemas.wheels.wheel_error import ProblemList

PATH = st.lists(st.sampled_from(["pkg", "a", "b_1", "x.py", "ä", ".z"]), min_size=1, max_size=4).map("/".join)


def faults(*names: str) -> dict[str, str]:
    problems = ProblemList()
    check_names(names, problems)
    return {part.pointer: part.message for part in problems.parts}


@pytest.mark.parametrize(
    "name",
    [
        "a", "pkg/__init__.py", "pkg/.hidden", "pkg/a b.txt", "pkg/ä.txt", "pkg/日本語.txt", "pkg/console.py", "pkg/com.py", "pkg/com10.py",
        "pkg/auxiliary.txt", "pkg/nullable", "pkg/a.nul", "pkg/-x", "pkg/~x", "pkg/$x", "pkg/[1].txt", "x" * MAX_PART_BYTES,
    ],
)  # fmt: skip
def test_ordinary_names_are_fine(name: str) -> None:
    assert name_fault(name) == ""


@pytest.mark.parametrize(
    "device", ["con", "PRN", "Aux", "nul", "com1", "COM9", "lpt1", "com¹", "LPT²", "com³", "conin$", "CONOUT$"]
)
@pytest.mark.parametrize("shape", ["{}", "{}.txt", "{}.tar.gz", "{} .txt", "{}/x.py", "pkg/{}", "pkg/{}.py"])
def test_a_device_of_windows_is_refused_wherever_it_stands(device: str, shape: str) -> None:
    assert "cannot exist on Windows" in name_fault(shape.format(device))


@pytest.mark.parametrize("char", list('<>:"|?*'))
def test_what_windows_forbids_is_refused(char: str) -> None:
    assert "cannot exist on Windows" in name_fault(f"pkg/a{char}b")


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("", "1 to 400 bytes"), ("a/" * 200 + "xx", "1 to 400 bytes"), ("x" * (MAX_PART_BYTES + 1), "200 bytes"),
        ("ä" * 101, "200 bytes"), ("/etc/passwd", "absolute"), ("//host/share", "absolute"), ("a//b", "empty, . or .."), ("a/", "empty, . or .."),
        ("../a", "empty, . or .."), ("a/./b", "empty, . or .."), ("a\\b", "backslash"), ("a\tb", "unprintable"), ("a\x7f", "unprintable"),
        ("a\u200bb", "unprintable"), ("a\u202eb", "unprintable"), ("a\u2028b", "unprintable"), ("a\ud800", "unprintable"), ("a\u00a0b", "unprintable"),
        ("cafe\u0301", "normal form"), ("\u212b", "normal form"), ("a.", "Windows"), ("a /b", "Windows"), ("...", "Windows"),
    ],
)  # fmt: skip
def test_each_refusal_says_why(name: str, word: str) -> None:
    assert word in name_fault(name)


@given(st.text(max_size=60))
def test_a_name_without_a_fault_means_the_same_on_every_system(name: str) -> None:
    if name_fault(name) == "":
        assert not PurePosixPath(name).is_absolute()
        assert not PureWindowsPath(name).is_absolute()
        assert not PureWindowsPath(name).drive
        assert PureWindowsPath(name).parts == PurePosixPath(name).parts == tuple(name.split("/"))
        assert ".." not in PurePosixPath(name).parts
        assert len(name.encode()) <= MAX_PATH_BYTES
        assert unicodedata.normalize("NFC", name) == name
        assert name.isprintable()


@given(st.lists(PATH, min_size=1, max_size=6, unique=True))
def test_different_names_pass_unless_one_is_a_folder_of_another(names: list[str]) -> None:
    clash = any(other.startswith(f"{name}/") for name in names for other in names)
    assert bool(faults(*names)) is clash


@given(st.lists(PATH, min_size=1, max_size=5, unique=True), st.data())
def test_a_name_that_differs_in_case_only_is_always_noticed(names: list[str], data: st.DataObject) -> None:
    chosen = data.draw(st.sampled_from(names))
    twin = data.draw(st.sampled_from([chosen.upper(), chosen.title(), chosen]))
    assert faults(*names, twin)


@pytest.mark.parametrize(
    ("names", "word"),
    [
        (("a.py", "a.py"), "twice"), (("a.py", "A.PY"), "differs from a.py only in case"), (("ß", "SS"), "only in case"),
        (("ﬁ.py", "FI.py"), "only in case"), (("a", "a/b"), "a file and a folder"), (("a/b/c", "A/B"), "a file and a folder"),
        (("a/b", "a"), "a file and a folder"), (("A/B/c", "a/b"), "a file and a folder"),
    ],
)  # fmt: skip
def test_names_that_some_system_would_merge_are_refused(names: tuple[str, ...], word: str) -> None:
    assert any(word in message for message in faults(*names).values())


def test_every_unfit_name_is_listed_and_the_list_ends() -> None:
    found = faults(*(f"pkg/{number}?" for number in range(500)))
    assert len(found) == 51
    assert "450 more" in found[""]
