"""Comparisons of two verifiers, made on the hub."""

from urllib.parse import quote

from hub_client.transport.requests.call import ApiCall
from schemas.comparison import ComparisonRecord, ComparisonRequest


def request_comparison(left: str, right: str, *, again: bool = False) -> ApiCall[ComparisonRecord]:
    """Compare two releases; what was compared before is returned instead, unless ``again``."""
    body = ComparisonRequest(left=left, right=right, again=again)
    return ApiCall.send("POST", "/comparisons", ComparisonRecord.read, body)


def get_comparison(comparison_id: str) -> ApiCall[ComparisonRecord]:
    """One comparison."""
    return ApiCall.get(f"/comparisons/{quote(comparison_id, safe='')}", ComparisonRecord.read)
