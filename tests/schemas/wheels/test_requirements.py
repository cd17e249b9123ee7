"""requirements.lock: pinned hashes and nothing else, whatever stands in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.wheels.requirements import LockedRequirement, check_dependency, check_lock_covers, parse_requirements_lock

HASH = "sha256:" + "a" * 64
OTHER = "sha256:" + "b" * 64


def test_what_is_written_is_read_back():
    locked = [LockedRequirement(name="numpy", version="2.0.1", digests=(HASH, OTHER)),
              LockedRequirement(name="a-b", version="1", digests=(HASH,))]  # fmt: skip
    text = "# a comment\n\n" + "\n".join(one.line() for one in locked)
    assert parse_requirements_lock(text) == (locked, [])


def test_lines_may_be_continued_and_names_are_canonical():
    found, faults = parse_requirements_lock(f"Some_Name==1.0 \\\n    --hash={HASH} \\\n    --hash={OTHER}\n")
    assert not faults
    assert [(one.name, len(one.digests)) for one in found] == [("some-name", 2)]


@pytest.mark.parametrize(
    "line",
    [
        "numpy", "numpy>=2", "numpy==2.0", f"numpy==2.0 --hash=md5:{'a' * 32}", "-r other.txt", "--index-url https://x",
        "-e .", f"numpy @ https://x/y.whl --hash={HASH}", f'numpy==2.0; python_version > "3" --hash={HASH}',
        f"numpy==x --hash={HASH}", f"numpy==2.0 --hash={HASH} --no-binary", f"==1 --hash={HASH}", f"numpy==2.0 --hash={HASH}0",
        "numpy==2.0 \\",
    ],
)  # fmt: skip
def test_anything_else_is_a_fault_with_its_line(line):
    found, faults = parse_requirements_lock(f"# first\n{line}")
    assert found == []
    assert faults[0][0] == 2


def test_the_same_name_twice_is_a_fault():
    _, faults = parse_requirements_lock(f"a==1 --hash={HASH}\nA==2 --hash={HASH}")
    assert "locked twice" in faults[0][1]


@given(st.text(max_size=300))
def test_any_text_is_read_without_an_exception(text):
    found, faults = parse_requirements_lock(text)
    assert all(one.digests for one in found)
    assert all(number >= 1 and sentence for number, sentence in faults)


@pytest.mark.parametrize(
    ("dependencies", "words"),
    [
        (["numpy>=2"], []),
        (["numpy>=3"], ["numpy 2.0.1"]),
        (["scipy"], ["scipy"]),
        (['scipy; sys_platform == "win32"'], []),
        (['scipy; python_version >= "3.11"'], ["scipy"]),
        (["NumPy<3"], []),
    ],
)
def test_a_lock_covers_what_the_package_asks_for(dependencies, words):
    faults = check_lock_covers(dependencies, [LockedRequirement(name="numpy", version="2.0.1", digests=(HASH,))])
    assert len(faults) == len(words)
    assert all(word in fault for word, fault in zip(words, faults, strict=True))


@pytest.mark.parametrize(
    ("text", "words"),
    [("numpy>=2", ""), ("numpy @ https://x/y.whl", "points to a URL"), ("not a name!", "cannot be read")],
)
def test_dependencies_name_released_versions(text, words):
    assert words in check_dependency(text)
    assert bool(check_dependency(text)) is bool(words)


@pytest.mark.parametrize(
    "text",
    ["six; " + "(" * 3000 + "os_name == 'posix'" + ")" * 3000, "six; os_name ~= 'posix'", "six>=" + "1" * 5000, "six; python_version > 'one'",
     "six @ https://example.org/" + "x" * 5000, "x" * 100_000 + "!"],
    ids=["nested", "undefined", "digits", "no-version", "url", "long"],
)  # fmt: skip
def test_a_hostile_dependency_is_one_short_sentence_or_can_be_compared(text):
    fault = check_dependency(text)
    assert len(fault) < 1000 or "URL" in fault
    if not fault:
        check_lock_covers([text], [LockedRequirement(name="six", version="1.0", digests=(HASH,))])


@given(st.text(alphabet="six;()<>=~!@ '\"os_namepython_version and or in not 0123.,[]", max_size=60))
def test_what_passes_as_a_dependency_can_always_be_compared_with_a_lock(text):
    if not check_dependency(text):
        check_lock_covers([text], [LockedRequirement(name="six", version="1.0", digests=(HASH,))])


def test_a_locked_version_of_five_thousand_digits_is_a_fault():
    found, faults = parse_requirements_lock(f"six=={'1' * 5000} --hash={HASH}")
    assert found == []
    assert faults[0][0] == 1
