"""What can be done with benchmarks: send results, read what they say."""

from hub_server.evaluations.actions.made_public import make_public, measure_anew
from hub_server.evaluations.actions.reports import (
    compute_report,
    confirm_report,
    find_report,
    find_reports,
    forget_report,
    get_report,
    is_current,
    keep_report,
    list_relations,
)
from hub_server.evaluations.actions.results import follow_hidden_account, list_results, list_senders, submit_results

__all__ = [
    "compute_report",
    "confirm_report",
    "find_report",
    "find_reports",
    "follow_hidden_account",
    "forget_report",
    "get_report",
    "is_current",
    "keep_report",
    "list_relations",
    "list_results",
    "list_senders",
    "make_public",
    "measure_anew",
    "submit_results",
]
