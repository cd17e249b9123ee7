"""Metrics of many nodes as one Prometheus text: each sample gets its node's name as a label."""

import logging
from collections import Counter
from collections.abc import Iterable, Sequence

from prometheus_client import CollectorRegistry, Metric, generate_latest
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector

from sandbox.cluster.nodes import Node

_log = logging.getLogger(__name__)
_PREFIX = "verihub_sandbox_"
_COUNTERS = {
    "joined": "Times that a node became ready.",
    "lost": "Times that a node was given up.",
    "groups": "Call groups and other requests sent to a node.",
    "calls_elsewhere": "Calls that a node left unanswered and that went to another.",
}


def render_nodes(nodes: Sequence[Node], counters: Counter[tuple[str, str]]) -> str:
    """Text format 0.0.4: samples of one metric stand together, whatever node they are from.

    A node speaks for itself only: it sets neither its label nor what is counted here. One whose text cannot be read is
    left out.
    """
    own = list(_own(nodes, counters))
    taken = {family.name for family in own}
    families: dict[str, Metric] = {}
    told: set[tuple[str, frozenset[tuple[str, str]]]] = set()
    for node in nodes:
        for reported in _reported(node):
            if reported.name in taken:
                continue
            family = families.setdefault(reported.name, Metric(reported.name, reported.documentation, reported.type))
            if family.type != reported.type:
                continue
            for sample in reported.samples:
                labels = {**sample.labels, "node": node.name}
                if (key := (sample.name, frozenset(labels.items()))) not in told:
                    told.add(key)
                    family.add_sample(sample.name, labels, sample.value)
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Collected([*families.values(), *own]))
    return generate_latest(registry).decode()


def _reported(node: Node) -> list[Metric]:
    try:
        node.report.metrics.encode()  # half a surrogate pair could not be written
        return list(text_string_to_metric_families(node.report.metrics))
    except ValueError as error:
        _log.warning("the metrics of the node %s cannot be read: %s", node.name, error)
        return []


def _own(nodes: Sequence[Node], counters: Counter[tuple[str, str]]) -> Iterable[Metric]:
    """What the driver counts."""
    for what, words in _COUNTERS.items():
        family = Metric(f"{_PREFIX}node_{what}", words, "counter")
        for (counted, name), value in sorted(counters.items()):
            if counted == what:
                family.add_sample(f"{_PREFIX}node_{what}_total", {"node": name}, value)
        yield family
    waiting = Metric(f"{_PREFIX}node_calls", "Calls that a node has of this program now.", "gauge")
    for node in nodes:
        waiting.add_sample(waiting.name, {"node": node.name}, node.load.calls)
    yield waiting
    alive = Metric(f"{_PREFIX}nodes", "Nodes that are ready.", "gauge")
    alive.add_sample(alive.name, {}, len(nodes))
    yield alive


class _Collected(Collector):
    """Families as the library asks for them."""

    def __init__(self, families: list[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterable[Metric]:
        return self._families
