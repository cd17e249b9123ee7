"""How alike two sources are: renaming and comments hide no copy, and no bytes are an error."""

from hypothesis import given, settings
from hypothesis import strategies as st

from hub_server.audits.rules.minhash import HASHES, MOST_BYTES, minhash_of, similarity

CODE = """
import re

def verify(task, response):
    \"\"\"Compare the last number.\"\"\"
    numbers = re.findall(r"-?[0-9]+", response or "")
    # the last one counts
    found = int(numbers[-1]) if numbers else None
    wanted = task["answer"]
    if isinstance(wanted, list):
        return {"correct": float(found in wanted), "count": len(numbers)}
    return {"correct": float(found == int(wanted)), "count": len(numbers)}
"""
OTHER = """
def verify(task, response):
    lines = [line.strip() for line in response.splitlines() if line]
    total = 0.0
    for index, line in enumerate(lines):
        while line.startswith("-"):
            line, total = line[1:], total + 0.5 ** index
        total -= sum(map(float, line.split(","))) / max(1, len(lines))
    return {"score": max(0.0, min(1.0, total)), "steps": len(lines)}
"""


def minhash(text: str) -> list[int]:
    return minhash_of({"a.py": text.encode()})


def test_a_copy_with_other_names_comments_and_docstring_is_the_same() -> None:
    renamed = CODE.replace("numbers", "found_all").replace("wanted", "target").replace("found =", "value =")
    renamed = renamed.replace("found in", "value in").replace("found ==", "value ==")
    renamed = renamed.replace("# the last one counts\n", "# changed\n    # twice\n").replace(
        "Compare the", "Look at the"
    )
    assert similarity(minhash(CODE), minhash(renamed)) == 1.0


def test_other_code_is_unlike_and_a_half_copy_lies_between() -> None:
    apart, half = similarity(minhash(CODE), minhash(OTHER)), similarity(minhash(CODE), minhash(CODE + OTHER))
    assert apart < 0.2 < half < 0.9


def test_similarity_is_the_same_both_ways_and_one_with_itself() -> None:
    one, other = minhash(CODE), minhash(CODE + OTHER)
    assert similarity(one, other) == similarity(other, one)
    assert similarity(one, one) == 1.0
    assert len(one) == HASHES


def test_too_little_code_says_nothing() -> None:
    assert minhash("x = 1\n") == []
    assert minhash_of({}) == []
    assert minhash_of({"notes.md": CODE.encode()}) == []
    assert similarity([], minhash(CODE)) == similarity([], []) == 0.0


def test_sketches_of_another_length_are_not_compared() -> None:
    assert similarity([1, 2, 3], [1, 2]) == 0.0


def test_beyond_the_most_bytes_a_file_is_not_read() -> None:
    padded = {"a.py": CODE.encode(), "b.py": b"#" * MOST_BYTES + b"\n" + OTHER.encode()}
    assert minhash_of(padded) == minhash(CODE)


@given(st.binary(max_size=400))
@settings(max_examples=60)
def test_no_bytes_are_an_error_and_what_follows_them_adds_at_most(data: bytes) -> None:
    found = minhash_of({"a.py": data, "b.py": CODE.encode()})
    assert len(found) == HASHES
    assert all(0 <= one < 2**32 for one in found)
