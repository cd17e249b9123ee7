"""The arithmetic of texts: duplicates, overlaps and shares with intervals, on texts whose truth is known."""

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub_server.evaluations.rules import texts
from hub_server.evaluations.rules.quality.outcomes import Outcomes
from hub_server.evaluations.rules.texts import Split, read_texts

WORDS = [hashlib.sha256(str(number).encode()).hexdigest()[:9] for number in range(400)]


def text(start: int, length: int = 30) -> str:
    """A text that shares no word with one that starts 30 later."""
    return " ".join(WORDS[start : start + length])


def split(package: str = "al/x", name: str = "test", **texts: str) -> Split:
    return Split(package, "1.0.0", name, texts)


def test_nothing_to_read_is_none_and_no_zero() -> None:
    found = read_texts([], [], ["al/y: not on this hub"])
    assert (found.text, found.texts, found.duplicate_share, found.contamination) == (None, 0, None, [])
    assert found.not_compared == ["al/y: not on this hub"]


def test_texts_that_share_nothing_are_as_diverse_as_they_are_many() -> None:
    found = read_texts([split(a=text(0), b=text(30), c=text(60))], [], [])
    assert found.text is not None
    assert 2.5 < found.text.value <= 3.001
    assert (found.duplicate_pairs, found.texts_measured) == (0, 3)


def test_copies_count_as_one_text_and_every_pair_is_named() -> None:
    found = read_texts([split(a=text(0), b=text(0), c=text(60))], [], [])
    assert found.text is not None
    assert found.text.value < 2.1
    assert [(pair.first, pair.second) for pair in found.duplicates] == [("al/x#a", "al/x#b")]
    assert found.duplicate_share is not None
    assert found.duplicate_share.value == pytest.approx(2 / 3)
    assert found.duplicate_share.low < 2 / 3 < found.duplicate_share.high


def test_the_same_id_in_two_packages_is_two_tasks() -> None:
    found = read_texts([split("al/x", t=text(0)), split("al/y", t=text(30))], [], [])
    assert found.texts == 2


def test_a_split_is_not_compared_with_itself_and_own_splits_are_reported_also_when_clean() -> None:
    tested = split(t=text(0))
    own, other = split(name="train", r=text(60)), split("al/y", "train", o=text(90))
    found = read_texts([tested], [own, other, tested], [])
    assert [(row.against, row.against_split, row.overlapping) for row in found.contamination] == [
        ("al/x@1.0.0", "train", 0)
    ]


def test_a_copied_task_is_found_wherever_it_stands() -> None:
    leak = split("al/y", "train", o1=text(120), o2=f"{text(90)} {text(0)} {text(150)}")
    (row,) = read_texts([split(t=text(0), u=text(30))], [leak], []).contamination
    assert (row.test_count, row.overlapping) == (2, 1)
    assert (row.worst[0].task, row.worst[0].covered) == ("t", pytest.approx(1.0))
    assert row.share.low < 0.5 < row.share.high


@pytest.mark.parametrize("tested", [split(), split(t="")])
def test_empty_splits_and_empty_texts_break_nothing(tested: Split) -> None:
    found = read_texts([tested], [split("al/y", "train"), split("al/y", "train", o="")], [])
    assert all(row.overlapping == 0 for row in found.contamination)


def test_more_texts_than_are_measured_are_drawn_always_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "MOST_TEXTS", 8)
    many = split(**{f"t{n}": text(n * 9) for n in range(20)})
    one, two = read_texts([many], [], []), read_texts([many], [], [])
    assert (one.texts, one.texts_measured) == (20, 8)
    assert one.text == two.text


def test_domains_come_from_tags_else_from_the_package() -> None:
    tagged = Split("al/x", "1.0.0", "test", {"a": text(0), "b": text(30)}, {"a": "geometry"})
    report = read_texts([tagged], [], [])
    outcomes = Outcomes.from_rows([("m", "al/x#a", True), ("m", "al/x#b", False), ("n", "al/x#a", False)])
    found = report.diversity_of(outcomes)
    assert found.domains == {"geometry": 1, "al/x": 1}
    assert found.domain_bits.value > 0
    assert found.responses is None, "one task that all have tried says nothing of how responses differ"


@settings(max_examples=25)
@given(st.dictionaries(st.text("ab", min_size=1, max_size=3), st.text("xyz ", max_size=40), max_size=5))
def test_any_texts_have_shares_between_none_and_all(drawn: dict[str, str]) -> None:
    found = read_texts([split(**drawn)], [split("al/y", "train", **drawn)], [])
    for row in found.contamination:
        assert 0 <= row.share.low <= row.share.value <= row.share.high <= 1
        assert row.overlapping <= row.test_count == len(drawn)
    if found.duplicate_share is not None:
        assert 0 <= found.duplicate_share.value <= 1
    if found.text is not None:
        assert 0 <= found.text.value <= len(drawn) + 1e-6
