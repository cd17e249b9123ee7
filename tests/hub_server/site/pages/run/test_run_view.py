"""What a run's metrics say: curves, and an alarm when verifiers part."""

import pytest

from hub_server.site.pages.run import run_view as runs
from schemas.measures.hacking_alarm import Alarm, find_alarm
from schemas.run import MetricPoint
from tests.hub_server.site import samples


def test_the_alarm_needs_a_gap_that_grows_and_lasts() -> None:
    points = samples.metrics()
    train = runs.series(points, "rewards/correct/mean")
    held = runs.series(points, "held_out/correct/mean")
    found = find_alarm(train, held, 0.0094)
    assert found is not None
    assert 150 < found.step < 330
    assert found.train - found.held > 0.2


@pytest.mark.parametrize(
    "held",
    [
        [(k, 0.2 + 0.6 * k / 99) for k in range(100)],  # follows the training verifier
        [(k, 0.1 + 0.6 * k / 99) for k in range(100)],  # stricter from the start, and no more later
        [(k, 0.2 if 40 < k < 60 else 0.2 + 0.6 * k / 99) for k in range(100)],  # came back
        [(k, 0.0) for k in range(95, 100)],  # too few points
    ],
)
def test_no_alarm_without_evidence(held: list[tuple[float, float]]) -> None:
    train = [(float(k), 0.2 + 0.6 * k / 99) for k in range(100)]
    assert find_alarm(train, held, 0.01) is None


def test_a_verifier_audited_as_bad_explains_a_larger_gap() -> None:
    train = [(float(k), 0.2 + 0.6 * k / 99) for k in range(100)]
    held = [(float(k), 0.2 + 0.47 * k / 99) for k in range(100)]
    assert find_alarm(train, held, 0.01) is not None
    assert find_alarm(train, held, 0.2) is None


def test_an_audit_too_small_to_say_anything_excuses_no_wide_gap() -> None:
    train = [(float(k), 0.2 + 0.6 * k / 99) for k in range(100)]
    held = [(float(k), 0.2 + 0.3 * k / 99) for k in range(100)]
    assert find_alarm(train, held, 0.9) is not None


def test_the_story_of_a_run_names_its_components_and_its_alarm() -> None:
    view = runs.view_of_run(samples.run(), samples.metrics(), 0.0094)
    assert view.reward is not None
    assert view.reward.names == ["correct", "correct, held out", "simplest_form", "parses"]
    assert view.alarm is not None
    assert "audited upper FPR of 0.9\u202f%" in view.alarm.words
    assert [chart.title for chart in view.charts][:2] == ["Held-out reward against entropy", "Entropy"]
    assert view.time is not None
    assert view.time.parts[-1] == ("wait for verdicts", pytest.approx(0.3), "shade-waiting")


def test_a_run_without_a_held_out_verifier_raises_no_alarm() -> None:
    points = [
        MetricPoint(step=p.step, values={k: v for k, v in p.values.items() if not k.startswith("held_out/")})
        for p in samples.metrics()
    ]
    assert runs.view_of_run(samples.run(), points, 0.01).alarm is None


def test_a_few_steps_are_a_table_not_a_curve() -> None:
    view = runs.view_of_run(samples.run(last_step=3), samples.metrics(4, stride=1)[:4], None)
    assert view.reward is None
    assert len(view.few.rows) == 4


def test_an_empty_run_tells_nothing() -> None:
    view = runs.view_of_run(samples.run(last_step=None), [], None)
    assert (view.figures, view.reward, view.few, view.charts, view.time, view.alarm) == (
        [],
        None,
        None,
        [],
        None,
        None,
    )


def test_no_more_of_an_audits_bound_is_said_to_excuse_a_gap_than_the_rule_counts() -> None:
    """A verifier of ten cases has an upper FPR of 81 %: it excuses no gap of 0.85 as 1.1 times what it allows."""
    said = runs._alarm_words("correct", Alarm(14, 0.93, 0.08), 0.81)
    assert (
        said.replace("\u202f", "")
        .replace("\u2009", "")
        .endswith("is 5.7 times what the audited upper FPR of 81%, of which 15% counts, allows.")
    )
