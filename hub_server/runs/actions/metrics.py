"""Metrics of a run, by step."""

from hub_server.kernel.texts import check_text
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.runs import queries
from hub_server.runs.actions.room import size_of_metrics, take_room
from hub_server.runs.actions.run_rows import get_row, own_run, touch
from hub_server.runs.models import MetricPointRow
from hub_server.runs.rules.reports import (
    MAX_METRICS_A_POINT,
    MAX_POINTS,
    check_count,
    check_moment,
    check_number,
)
from schemas.metric_names import REWARD
from schemas.run import MetricPoint, Metrics

MOST_POINTS_READ = 2000
"""So many points of a run are answered at once: more than a curve can show."""


def log_metrics(work: UnitOfWork, run_id: str, points: list[MetricPoint]) -> None:
    """Write metrics by step; sending a step again replaces it, so a retry is harmless."""
    row = own_run(work, run_id)
    check_count(len(points), MAX_POINTS, "metric points")
    check_count(max((len(point.values) for point in points), default=0), MAX_METRICS_A_POINT, "metrics in one step")
    for point in points:
        check_number(point.step, "step")
        check_text(list(point.values), "The name of a metric")
    now = work.now
    rows = {
        point.step: MetricPointRow(
            run_id=run_id, step=point.step, at=check_moment(point.at) or now, metrics=dict(point.values)
        )
        for point in points
    }
    before = queries.metrics_at(work.session, run_id, list(rows))
    more = size_of_metrics(point.metrics for point in rows.values()) - size_of_metrics(before)
    take_room(work, row, more, is_spare=True)
    queries.replace_metrics(work.session, run_id, rows)
    touch(work, row, (point.step for point in points))
    rewarded = {point.step: reward for point in points if (reward := point.values.get(REWARD)) is not None}
    newest = max(rewarded, default=-1)
    if rewarded and newest >= (row.last_reward_step or 0):
        row.last_reward, row.last_reward_step = rewarded[newest], newest


def get_metrics(work: UnitOfWork, run_id: str) -> Metrics:
    """Points of a run, by step: at most ``MOST_POINTS_READ``, evenly thinned, the last among them."""
    get_row(work, run_id)
    rows = queries.metrics_of(work.session, run_id, MOST_POINTS_READ)
    return Metrics(items=[MetricPoint(step=row.step, at=row.at, values=row.metrics) for row in rows])
