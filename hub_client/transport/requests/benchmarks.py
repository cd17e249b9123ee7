"""Results on benchmarks, and the reports that the hub computes from them."""

from urllib.parse import quote

from hub_client.transport.requests.call import ApiCall
from schemas.benchmark import BenchmarkReport, BenchmarkResults, ResultsCreate
from schemas.names import split_package_id


def _path(package: str, version: str) -> str:
    owner, name = split_package_id(package)
    return f"/benchmarks/{owner}/{name}/releases/{quote(version, safe='')}"


def submit_results(package: str, version: str, results: ResultsCreate) -> ApiCall[BenchmarkResults]:
    """Send what a model did in one environment under one harness."""
    return ApiCall.send("POST", f"{_path(package, version)}/results", BenchmarkResults.read, results)


def get_report(package: str, version: str) -> ApiCall[BenchmarkReport]:
    """Leaderboard, hardness, separability, diversity."""
    return ApiCall.get(f"{_path(package, version)}/report", BenchmarkReport.read)
