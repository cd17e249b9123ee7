"""Names of curves: inside the plot, over no line, over no other name."""

from hub_server.site.drawing.labels import place_labels

HEIGHT = 208


def flat(y: float) -> list[tuple[float, float]]:
    return [(x, y) for x in range(0, 101, 2)]


def test_each_curve_has_one_label_of_its_own_name_that_ends_inside() -> None:
    labels = place_labels(["one", "two"], [flat(30), flat(70)], HEIGHT)
    assert [label.text for label in labels] == ["one", "two"]
    assert all(0 <= label.x <= 100 for label in labels)
    assert {label.anchor for label in labels} == {"end"}


def test_a_label_stands_at_its_own_line() -> None:
    (label,) = place_labels(["correct"], [flat(60)], HEIGHT)
    assert label.y == 60
    assert label.dy in (-7, 17)


def test_two_curves_at_one_height_do_not_share_a_place() -> None:
    first, second = place_labels(["first", "second"], [flat(50), flat(50)], HEIGHT)
    assert (first.x, first.dy) != (second.x, second.dy)


def test_at_the_top_the_name_stands_below_the_line() -> None:
    (label,) = place_labels(["gate"], [flat(0)], HEIGHT)
    assert label.dy > 0


def test_at_the_bottom_the_name_stands_above_the_line() -> None:
    (label,) = place_labels(["gate"], [flat(100)], HEIGHT)
    assert label.dy < 0


def test_a_name_avoids_another_curve_that_runs_where_it_would_stand() -> None:
    alone = place_labels(["a name"], [flat(50)], HEIGHT)[0]
    crowded = [(x, 46.0) for x in range(80, 101)]
    beside = place_labels(["a name", "x"], [flat(50), crowded], HEIGHT)[0]
    assert (beside.x, beside.dy) != (alone.x, alone.dy)


def test_a_name_longer_than_the_plot_and_a_curve_of_one_point_are_placed_all_the_same() -> None:
    (label,) = place_labels(["x" * 300], [[(50.0, 50.0)]], HEIGHT)
    assert 0 <= label.x <= 100
