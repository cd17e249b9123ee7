"""Tasks and models on one scale: counts add up, extremes stay inside, words are true, names are text."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub_server.site.drawing.bench_axes import Scale
from hub_server.site.drawing.bench_items import (
    LinkedItem,
    _binned,
    entry_name,
    item_plot,
    rate_histogram,
    spread,
    wright_map,
)
from schemas.benchmark import AbilityRow, ItemRow
from schemas.measures.intervals import Interval


def around(value: float, half: float = 0.2) -> Interval:
    return Interval(value=value, low=value - half, high=value + half)


def item(number: int, difficulty: float | None, slope: float = 1.0, flag: str = "") -> ItemRow:
    return ItemRow(
        task=f"al/b#t{number}", pass_rate=0.5, flag=flag,
        difficulty=around(difficulty) if difficulty is not None else None,
        discrimination=around(slope) if difficulty is not None else None,
    )  # fmt: skip


def ability(name: str, value: float) -> AbilityRow:
    return AbilityRow(model=name, harness="h", ability=around(value))


FIELD = [ability("strong", 1.0), ability("weak", -1.0)]


def words_of(drawn: object) -> str:
    """The drawing with plain spaces."""
    return str(drawn).replace("\xa0", " ")


@given(st.lists(st.floats(-50, 50), max_size=40), st.integers(1, 40))
def test_every_value_falls_into_one_bin_also_beyond_the_scale(values: list[float], bins: int) -> None:
    assert sum(_binned(values, Scale(-4.0, 4.0), bins)) == len(values)


@pytest.mark.parametrize(("value", "place"), [(-4.0, 0), (-99.0, 0), (0.0, 2), (3.99, 3), (4.0, 3), (99.0, 3)])
def test_the_ends_belong_to_the_outer_bins(value: float, place: int) -> None:
    assert _binned([value], Scale(-4.0, 4.0), 4).index(1) == place


def test_the_map_counts_tasks_between_the_weakest_and_the_strongest() -> None:
    drawn = words_of(wright_map([item(n, value) for n, value in enumerate((-3.0, -1.0, 0.0, 1.0, 3.0))], FIELD))
    assert "5 tasks by difficulty above 2 entries" in drawn
    assert "3 tasks between the weakest entry (weak" in drawn


def test_tasks_without_a_difficulty_are_in_no_bar_and_an_empty_map_is_drawn() -> None:
    drawn = words_of(wright_map([item(1, None), item(2, 0.5)], FIELD))
    assert "1 task by difficulty" in drawn
    assert "1 task between" in drawn
    assert "0 tasks by difficulty" in words_of(wright_map([], FIELD))


def test_names_of_strangers_are_text() -> None:
    evil = "<script>alert(1)</script>"
    assert "<script>" not in str(wright_map([item(1, 0.0)], [ability(evil, 0.0)]))
    linked = LinkedItem(item(1, 0.0, -1.0, "certain").model_copy(update={"task": f"al/b#{evil}"}), 'javascript:"')
    drawn = str(item_plot([linked, LinkedItem(item(2, 0.0))]))
    assert "<script>" not in drawn


@pytest.mark.parametrize(
    ("count", "most", "expected"), [(0, 3, []), (2, 3, [0, 1]), (3, 3, [0, 1, 2]), (5, 3, [0, 2, 4]), (100, 2, [0, 99])]
)
def test_of_many_entries_the_first_the_last_and_some_between_are_shown(
    count: int, most: int, expected: list[int]
) -> None:
    rows = [ability(f"m{n}", -n) for n in range(count)]
    assert [row.model for row in spread(rows, most)] == [f"m{n}" for n in expected]


@settings(max_examples=40)
@given(st.lists(st.floats(0, 1), max_size=30))
def test_a_histogram_counts_every_task_once(rates: list[float]) -> None:
    drawn = words_of(rate_histogram(rates))
    found = re.search(r"(\d+) tasks? by pass rate: (\d+) solved by no entry, (\d+) always by all, (\d+) between", drawn)
    assert found is not None
    total, never, always, between = (int(group) for group in found.groups())
    assert total == len(rates) == never + always + between
    assert not re.search(r"\bnan\b|\binf\b", drawn)


def test_never_and_always_stand_apart_from_nearly() -> None:
    drawn = str(rate_histogram([0.0, 1.0, 1e-9, 1 - 1e-9]))
    assert "1 solved by no entry, 1 always by all, 2 between" in drawn
    assert "share-none" in drawn
    assert "share-all" in drawn


@pytest.mark.parametrize(
    ("model", "harness", "shown"),
    [
        ("Qwen/Qwen3-4B", "lecture/single-turn@1.0.0", "Qwen/Qwen3-4B · lecture/single-turn@1.0.0"),
        ("meta-llama/Llama-4-Maverick-8B", "lecture/plan-then-act@1.0.0", "Llama-4-Maverick-8B · plan-then-act"),
        ("a/" + "x" * 30 + "y" * 30, "b/ask@1.0", "x" * 22 + "…" + "y" * 22 + " · ask"),
    ],
)
def test_a_name_keeps_its_harness_on_a_phone(model: str, harness: str, shown: str) -> None:
    """The edge cut off what tells two entries of one model apart."""
    assert entry_name(model, harness) == shown
    assert len(shown) <= 52


def test_every_highest_bar_has_its_number() -> None:
    """Only the first and the last had one: of two bars alike, one was named, and a third had no scale."""
    drawn = str(rate_histogram([0.0, 0.0, 0.32, 0.32, 0.71, 0.71, 0.5]))
    assert re.findall(r"<text[^>]*>(\d+)</text>", drawn) == ["2", "2", "2"]


def test_the_highest_bars_of_the_map_have_their_numbers_and_of_neighbours_the_first() -> None:
    """No bar of the map had a number, so nobody could tell how many tasks a height stood for."""
    at = [-3.9, -3.9, -3.7, -3.7, 0.1, 0.1, 2.0]  # two bins side by side, one apart, and a lower one
    drawn = str(wright_map([item(number, value) for number, value in enumerate(at)], FIELD))
    numbers = re.findall(r'<text class="plot-text middle"[^>]*>(-?\d+)</text>', drawn)
    assert numbers.count("2") == 2 + 1, "two bars, and the axis"


@pytest.mark.parametrize("slopes", [(1.0, 1.0), (-9.0, 9.0), (0.0, 0.0), (50.0, -1.0)])
def test_a_slope_of_any_size_is_drawn_inside_the_frame(slopes: tuple[float, float]) -> None:
    items = [LinkedItem(item(n, 0.3 * n, slope)) for n, slope in enumerate(slopes)]
    drawn = str(item_plot(items))
    places = [float(y) for _, y in re.findall(r"M(-?[\d.]+) (-?[\d.]+)h0", drawn)]
    assert all(-1e-6 <= y <= 1000 + 1e-6 for y in places)
    assert not re.search(r"\bnan\b|\binf\b|None", drawn)


def test_a_flagged_task_leads_to_where_it_can_be_looked_at() -> None:
    flagged = item(7, 0.5, -1.4, "certain")
    assert 'href="/tasks/7"' in str(item_plot([LinkedItem(flagged, "/tasks/7"), LinkedItem(item(1, 0.0))]))
    assert "<a" not in str(item_plot([LinkedItem(flagged), LinkedItem(item(1, 0.0))]))
