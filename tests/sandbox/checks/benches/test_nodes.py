import asyncio

from sandbox.checks.benches.nodes import measure


def test_a_driver_is_measured_with_one_node_and_with_a_hundred() -> None:
    """Every call of the measurement is judged once, else it raises."""
    figures = asyncio.run(measure(300, 0.01))
    for count in (1, 100):
        assert figures[f"nodes_{count}_driver_us_per_call"] > 0
        assert figures[f"nodes_{count}_idle_ms_per_second"] >= 0
