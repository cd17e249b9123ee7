"""Many nodes as one Prometheus text: what an operator reads, and what a broken or lying node can do to it."""

import logging
from collections import Counter

import pytest
from prometheus_client.parser import text_string_to_metric_families

from sandbox.cluster.link import NodeReport
from sandbox.cluster.metrics import render_nodes
from sandbox.cluster.node_choice import Load
from sandbox.cluster.nodes import Node
from tests.fakes.node_link import WELL, ToldLink
from tests.sandbox.clocks import run_without_waiting

CALLS = """# HELP verihub_sandbox_calls_total Calls.
# TYPE verihub_sandbox_calls_total counter
verihub_sandbox_calls_total{package="a/b",outcome="ok"} %d
"""
QUEUE = """# HELP verihub_sandbox_queue_seconds Waiting.
# TYPE verihub_sandbox_queue_seconds summary
verihub_sandbox_queue_seconds{package="a/b",quantile="0.50"} 0.25
verihub_sandbox_queue_seconds_count{package="a/b"} 4
verihub_sandbox_queue_seconds_sum{package="a/b"} 1.5
"""


def rendered(reports: dict[str, str], counters: Counter[tuple[str, str]] | None = None, calls: int = 0) -> str:
    async def work() -> str:
        nodes = [Node(name, name, ToldLink(), WELL, Load(2)) for name in reports]
        for node in nodes:
            node.report = NodeReport(reports[node.name])
            node.load.add(calls, 1.0)
        return render_nodes(nodes, counters or Counter())

    return run_without_waiting(work())


def samples(text: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """By name and labels; fails where one stands twice."""
    found = [
        (s.name, frozenset(s.labels.items()), s.value)
        for family in text_string_to_metric_families(text)
        for s in family.samples
    ]
    assert len({key[:2] for key in found}) == len(found)
    return {(name, labels): value for name, labels, value in found}


def value(text: str, name: str, **labels: str) -> float:
    return samples(text)[f"verihub_sandbox_{name}", frozenset(labels.items())]


def test_each_sample_has_its_nodes_name_and_each_family_stands_once() -> None:
    text = rendered({"gpu-1": CALLS % 3 + QUEUE, "gpu-2": CALLS % 4})
    assert text.count("# TYPE verihub_sandbox_calls_total counter") == 1
    assert value(text, "calls_total", package="a/b", outcome="ok", node="gpu-1") == 3
    assert value(text, "calls_total", package="a/b", outcome="ok", node="gpu-2") == 4
    assert value(text, "queue_seconds", package="a/b", quantile="0.50", node="gpu-1") == 0.25
    assert value(text, "queue_seconds_sum", package="a/b", node="gpu-1") == 1.5


def test_what_is_counted_here_is_told_before_anything_has_happened_and_after() -> None:
    assert value(rendered({}), "nodes") == 0
    counters = Counter({("lost", "gpu-1"): 2, ("groups", "gpu-1"): 9, ("calls_elsewhere", "gone"): 5})
    text = rendered({"gpu-1": ""}, counters, calls=12)
    assert value(text, "nodes") == 1
    assert value(text, "node_calls", node="gpu-1") == 12
    assert value(text, "node_lost_total", node="gpu-1") == 2
    assert value(text, "node_groups_total", node="gpu-1") == 9
    assert value(text, "node_calls_elsewhere_total", node="gone") == 5, "of a node that is there no more"


@pytest.mark.parametrize(
    "garbage",
    [
        "verihub_sandbox_calls_total{package=\n",
        "x{} twelve\n",
        "\x00\x80",
        "# TYPE x counter\n# TYPE x gauge\nx 1\n" * 3,
        '{"json": true}',
        "<html>502 Bad Gateway</html>",
        'x{package="\ud800"} 1\n',
        "9lives 1\n",
    ],
)
def test_a_node_whose_text_cannot_be_read_costs_the_others_nothing(
    garbage: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        text = rendered({"bad": garbage, "good": CALLS % 4})
    assert value(text, "calls_total", package="a/b", outcome="ok", node="good") == 4
    assert value(text, "nodes") == 2
    text.encode()
    unread = [record for record in caplog.records if "metrics of the node bad cannot be read" in record.getMessage()]
    assert unread or samples(text), "either it is said, or it could be read after all"


def test_no_node_speaks_for_another_or_for_this_program() -> None:
    forged = (
        CALLS.replace("package=", 'node="good",package=') % 1_000_000
        + "# TYPE verihub_sandbox_nodes gauge\nverihub_sandbox_nodes 99\n"
        + '# TYPE verihub_sandbox_node_lost_total counter\nverihub_sandbox_node_lost_total{node="good"} 7\n'
    )
    text = rendered({"bad": forged, "good": CALLS % 4})
    assert value(text, "calls_total", package="a/b", outcome="ok", node="good") == 4
    assert value(text, "calls_total", package="a/b", outcome="ok", node="bad") == 1_000_000
    assert value(text, "nodes") == 2
    assert ("verihub_sandbox_node_lost_total", frozenset({("node", "good")})) not in samples(text)


def test_a_node_that_gives_a_metric_another_type_is_left_out_of_it() -> None:
    text = rendered({"good": CALLS % 4, "odd": "# TYPE verihub_sandbox_calls gauge\nverihub_sandbox_calls 1\n"})
    assert value(text, "calls_total", package="a/b", outcome="ok", node="good") == 4
    assert ("verihub_sandbox_calls", frozenset({("node", "odd")})) not in samples(text)
