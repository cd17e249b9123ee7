"""A benchmark's drawings: what they say in words is true, they stay inside their frame, and carry no style."""

import re
from xml.etree import ElementTree as ET

import pytest

from hub_server.site.drawing import bench_curves, bench_items, bench_scores
from hub_server.site.drawing.bench_axes import Scale
from schemas.benchmark import AbilityRow, ItemRow, PassCurve, PassPoint, SubsetPoint, SubsetReport
from schemas.measures.corrected import CorrectedRate
from schemas.measures.intervals import Interval


def around(value: float, half: float = 0.1) -> Interval:
    return Interval(value=value, low=value - half, high=value + half)


def item(number: int, difficulty: float, slope: float = 1.0, flag: str = "") -> ItemRow:
    return ItemRow(
        task=f"a/b#t{number}", pass_rate=0.5, difficulty=around(difficulty), discrimination=around(slope), flag=flag
    )  # fmt: skip


ITEMS = [item(n, -2 + n / 5) for n in range(21)] + [item(99, 0.5, -1.4, "certain"), item(98, 0.2, -0.2, "negative")]
ABILITIES = [AbilityRow(model=f"m{n}", harness="h", ability=around(1.5 - n)) for n in range(4)]
CURVES = [
    PassCurve(model=f"m{n}", harness="h", points=[PassPoint(k=k, rate=around(0.2 + 0.1 * n + 0.05 * k)) for k in (1, 2, 4)])
    for n in range(9)
]  # fmt: skip
SUBSET = SubsetReport(
    tolerance=0.01, tasks=["a", "b", "c"], worst_error=0.008, task_count=90, sizes=(2, 5),
    curve=[SubsetPoint(size=n, worst_error=0.3 / n, held_out_error=0.4 / n) for n in (1, 2, 3)],
)  # fmt: skip
SCORE, NONE = around(0.6), CorrectedRate(reason="nobody measured its verifier")
DRAWINGS = {
    "map": lambda: bench_items.wright_map(ITEMS, ABILITIES),
    "plot": lambda: bench_items.item_plot([bench_items.LinkedItem(one, "/try?task_id=<x>") for one in ITEMS]),
    "histogram": lambda: bench_items.rate_histogram([0.0, 0.2, 0.2, 0.99, 1.0]),
    "pass": lambda: bench_curves.pass_plot(CURVES[:3]),
    "subset": lambda: bench_curves.subset_plot(SUBSET),
    "score": lambda: bench_scores.score_calliper(SCORE, CorrectedRate(estimate=around(0.7))),
    "open": lambda: bench_scores.score_calliper(SCORE, NONE),
    "pairs": lambda: bench_scores.pair_matrix(["a", "b", "c"], {(0, 1): False, (0, 2): True, (1, 2): True}),
    "flips": lambda: bench_scores.flip_bar(3, 1, 10),
    "difference": lambda: bench_scores.difference_bracket(around(-0.2), 0.3),
    "agreement": lambda: bench_scores.agreement_bracket(around(0.8)),
    "number": lambda: bench_scores.number_bracket(around(12.0), 40),
    "domains": lambda: bench_scores.domain_bar({"a": 3, "b": 1}),
    "overlap": lambda: bench_scores.overlap_strip(40, [0.3, 1.0]),
    "rate": lambda: bench_scores.rate_bracket(SCORE),
}


@pytest.mark.parametrize("name", DRAWINGS)
def test_every_drawing_is_sound_markup_without_style_and_has_words(name: str) -> None:
    drawn = str(DRAWINGS[name]())
    root = ET.fromstring(f"<div>{drawn}</div>")
    assert "style" not in drawn
    assert not re.search(r"\bnan\b|None|\binf\b", drawn)
    labels = [one.get("aria-label") for one in root.iter() if one.get("aria-label")]
    assert len(labels) == 1
    assert len(labels[0]) > 15


@pytest.mark.parametrize("name", DRAWINGS)
def test_nothing_is_drawn_outside_its_frame(name: str) -> None:
    drawn = str(DRAWINGS[name]())
    places = [float(number) for number in re.findall(r'(?:x|x1|x2|cx|width)="(-?[\d.]+)%"', drawn)]
    assert all(-0.01 <= place <= 100.01 for place in places), places


def label_of(name: str) -> str:
    return re.search(r'aria-label="([^"]*)"', str(DRAWINGS[name]()))[1]


def test_words_say_what_is_seen() -> None:
    assert "23 tasks by difficulty above 4 entries" in label_of("map").replace("\u00a0", " ")
    assert "17 tasks between the weakest" in label_of("map").replace("\u00a0", " ")
    assert "2 discriminate negatively, 1 of all are failed more by better entries" in label_of("plot")
    assert "1 solved by no entry, 1 always by all, 3 between" in label_of("histogram")
    assert "3 of 90 tasks rebuild" in label_of("subset").replace("\u00a0", " ")
    assert "left out of the choice are off by up to 13" in label_of("subset")
    assert label_of("open").endswith("corrected: cannot be said, nobody measured its verifier")
    assert "corrected 70" in label_of("score")
    assert label_of("pairs").startswith("2 of 3 pairs")
    assert label_of("flips") == "1 of 10 models lose it, 3 gain it"


def test_a_task_that_points_the_wrong_way_is_a_link_with_its_address_escaped() -> None:
    drawn = str(DRAWINGS["plot"]())
    assert drawn.count("<a ") == 1
    assert 'href="/try?task_id=&lt;x&gt;"' in drawn
    assert "t99" in drawn
    assert "t98" not in drawn, "a negative one within chance is a dot like the others"


def test_what_cannot_be_corrected_is_dashed_and_open_and_never_zero() -> None:
    drawn = str(DRAWINGS["open"]())
    assert "calliper-unmeasured" in drawn
    assert "bench-true" not in drawn


def test_a_thousand_tasks_are_one_path() -> None:
    drawn = str(bench_items.item_plot([bench_items.LinkedItem(item(n, n / 500 - 1)) for n in range(1000)]))
    assert len(drawn) < 25_000


def test_long_lists_are_spread_from_first_to_last() -> None:
    many = [AbilityRow(model=f"m{n:03}", harness="h", ability=around(2 - n / 50)) for n in range(200)]
    shown = bench_items.spread(many, 16)
    assert (len(shown), shown[0].model, shown[-1].model) == (16, "m000", "m199")
    best_first = bench_curves.chosen_curves(CURVES)
    assert [curve.model for curve in (best_first[0], best_first[-1])] == ["m8", "m0"]
    assert len(best_first) == bench_curves.MOST_CURVES


def test_values_off_the_scale_stand_at_its_edge() -> None:
    assert (Scale(-1, 1).at(5), Scale(-1, 1).at(-5), Scale(0, 0).at(0)) == (100, 0, 0)
