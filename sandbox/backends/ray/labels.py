"""Metrics of many nodes as one Prometheus text: each line gets its node's name as a label."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from sandbox.backends.ray.nodes import Node

_OWN = ("joined", "lost", "groups", "calls_elsewhere")


def render_nodes(nodes: Sequence[Node], counters: Counter[tuple[str, str]]) -> str:
    """Text format 0.0.4: lines of one metric stand together, whatever node they are from."""
    blocks: dict[str, list[str]] = defaultdict(list)
    types: dict[str, str] = {}
    for node in nodes:
        for line in node.report.metrics.splitlines():
            if line.startswith("# TYPE "):
                types[line.split(" ")[2]] = line
            elif line:
                name, labelled = _labelled(line, node.name)
                blocks[name].append(labelled)
    lines = []
    for name, rows in blocks.items():
        lines += [types[name], *rows] if name in types else rows
    for what in _OWN:
        counted = [(name, value) for (what_, name), value in sorted(counters.items()) if what_ == what]
        if counted:
            lines.append(f"# TYPE verihub_sandbox_node_{what}_total counter")
            lines += [f'verihub_sandbox_node_{what}_total{{node="{name}"}} {value}' for name, value in counted]
    lines += [f'verihub_sandbox_node_calls{{node="{node.name}"}} {node.load.calls}' for node in nodes]
    lines.append(f"verihub_sandbox_nodes {len(nodes)}")
    return "\n".join(lines) + "\n"


def _labelled(line: str, node: str) -> tuple[str, str]:
    """``name{a="b"} 1`` -> name, ``name{node="…",a="b"} 1``."""
    name, brace, rest = line.partition("{")
    if brace:
        return name, f'{name}{{node="{node}",{rest}'
    name, _, value = line.partition(" ")
    return name, f'{name}{{node="{node}"}} {value}'
