"""What can be done about measurements: read and ask for audits, submit and dispute counter-examples."""

from hub_server.audits.actions.cases import (
    ExecutedCase,
    PreparedCase,
    count_cases,
    dispute_case,
    execute_case,
    get_case,
    list_cases,
    prepare_case,
    prepare_replay,
    record_replay,
    settle_dispute,
    submit_case,
)
from hub_server.audits.actions.measuring import bury_audit, finish_audit, record_progress, record_waiting, start_audit
from hub_server.audits.actions.reports import (
    find_latest_audit,
    get_audit,
    get_latest_audit,
    list_audits,
    request_audit,
)
from hub_server.audits.actions.signing import SignatureCheck, check_report, list_signing_keys, sign_report

__all__ = [
    "ExecutedCase",
    "PreparedCase",
    "SignatureCheck",
    "bury_audit",
    "check_report",
    "count_cases",
    "dispute_case",
    "execute_case",
    "find_latest_audit",
    "finish_audit",
    "get_audit",
    "get_case",
    "get_latest_audit",
    "list_audits",
    "list_cases",
    "list_signing_keys",
    "prepare_case",
    "prepare_replay",
    "record_progress",
    "record_replay",
    "record_waiting",
    "request_audit",
    "settle_dispute",
    "sign_report",
    "start_audit",
    "submit_case",
]
