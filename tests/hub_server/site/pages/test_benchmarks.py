"""The list of benchmarks."""

from pathlib import Path

from hub_server.kernel.services import Services
from tests.hub_server.site.conftest import Browser
from tests.making.catalogue import add_benchmark
from tests.making.hub import Api


def test_what_is_no_benchmark_has_no_results(reader: Browser, catalogue: Api) -> None:
    page = reader.get("/benchmarks/alice/small-sums")
    assert page.status == 404
    assert page.headings == 1


def test_a_row_says_how_many_models_the_best_score_and_what_it_is(
    reader: Browser, catalogue: Api, services: Services, small_catalogue: tuple[Path, str]
) -> None:
    add_benchmark(services, small_catalogue[1])
    page = reader.get("/benchmarks")
    assert "5 models; best " in page.text
    assert "by simulated/a-rather-long-name-of-a-model-4" in page.text
    assert "Sums of small numbers" in page.text
