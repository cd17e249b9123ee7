"""The list of benchmarks."""

from tests.hub_server.site.conftest import Browser
from tests.making.hub import Api


def test_what_is_no_benchmark_has_no_results(reader: Browser, catalogue: Api) -> None:
    page = reader.get("/benchmarks/alice/small-sums")
    assert page.status == 404
    assert page.headings == 1
