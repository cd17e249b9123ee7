"""What can be done with measurements: read and request audits, submit and dispute counter-examples."""

from hub_server.audits.actions.agreeing_verifiers import hear, keep_hearing, plan_hearing
from hub_server.audits.actions.asked_rollouts import get_question_of_rollout, list_asked_rollouts
from hub_server.audits.actions.audit_runs import fail_audit, finish_audit, record_progress, record_waiting, start_audit
from hub_server.audits.actions.case_rows import count_cases, get_case, list_cases, newest_cases
from hub_server.audits.actions.cases import (
    ExecutedCase,
    PreparedCase,
    contradicts_label,
    execute_case,
    execute_case_soon,
    execute_case_within,
    prepare_case,
    prepare_preview,
    prepare_replay,
    record_replay,
    submit_case,
)
from hub_server.audits.actions.comparisons import (
    fail_comparison,
    find_comparison,
    finish_comparison,
    get_comparison,
    newest_comparisons,
    request_comparison,
    start_comparison,
)
from hub_server.audits.actions.copied_audits import keep_copied_audit
from hub_server.audits.actions.disagreements import (
    judge_rollouts,
    keep_questions,
    plan_gathering,
    request_gathering,
    source_of_rollout,
)
from hub_server.audits.actions.dispute_end import end_old_disputes
from hub_server.audits.actions.disputes import (
    dispute_case,
    dispute_cases,
    hide_case,
    settle_dispute,
    show_case,
)
from hub_server.audits.actions.episode_examples import EpisodeExample, list_episode_examples
from hub_server.audits.actions.evidence import (
    measure_after_membership,
    measure_after_transfer,
    measure_readers,
    measure_with_suite,
)
from hub_server.audits.actions.hidden_accounts import follow_hidden_account
from hub_server.audits.actions.label_reports import report_label
from hub_server.audits.actions.labels import (
    Settled,
    answer_question,
    count_answered,
    count_open_questions,
    find_settled,
    find_settled_example,
    get_agreement,
    get_question,
    give_label,
    is_full_of_runs,
    left_out_of_package,
    left_out_of_run,
    list_questions,
    next_question,
    settle_question,
)
from hub_server.audits.actions.later_audits import queue_overdue_audits
from hub_server.audits.actions.ledgers import get_standing
from hub_server.audits.actions.made_public import make_public, measure_anew
from hub_server.audits.actions.neighbours import (
    copies_among,
    find_flips,
    keep_minhash,
    keep_neighbours,
    list_neighbours,
    plan_neighbours,
)
from hub_server.audits.actions.reports import (
    find_latest_audit,
    get_audit,
    get_audit_of,
    get_latest_audit,
    list_audits,
    request_audit,
)
from hub_server.audits.actions.response_examples import ResponseExample, list_response_examples
from hub_server.audits.actions.seconders import second_case
from hub_server.audits.actions.signatures import SignatureCheck, check_report, sign_report
from hub_server.audits.actions.standing import has_standing, owners_of, points
from hub_server.audits.actions.suite_leaderboards import get_suite_leaderboard
from hub_server.audits.actions.withheld_content import erase_measurements

__all__ = [
    "EpisodeExample",
    "ExecutedCase",
    "PreparedCase",
    "ResponseExample",
    "Settled",
    "SignatureCheck",
    "answer_question",
    "check_report",
    "contradicts_label",
    "copies_among",
    "count_answered",
    "count_cases",
    "count_open_questions",
    "dispute_case",
    "dispute_cases",
    "end_old_disputes",
    "erase_measurements",
    "execute_case",
    "execute_case_soon",
    "execute_case_within",
    "fail_audit",
    "fail_comparison",
    "find_comparison",
    "find_flips",
    "find_latest_audit",
    "find_settled",
    "find_settled_example",
    "finish_audit",
    "finish_comparison",
    "follow_hidden_account",
    "get_agreement",
    "get_audit",
    "get_audit_of",
    "get_case",
    "get_comparison",
    "get_latest_audit",
    "get_question",
    "get_question_of_rollout",
    "get_standing",
    "get_suite_leaderboard",
    "give_label",
    "has_standing",
    "hear",
    "hide_case",
    "is_full_of_runs",
    "judge_rollouts",
    "keep_copied_audit",
    "keep_hearing",
    "keep_minhash",
    "keep_neighbours",
    "keep_questions",
    "left_out_of_package",
    "left_out_of_run",
    "list_asked_rollouts",
    "list_audits",
    "list_cases",
    "list_episode_examples",
    "list_neighbours",
    "list_questions",
    "list_response_examples",
    "make_public",
    "measure_after_membership",
    "measure_after_transfer",
    "measure_anew",
    "measure_readers",
    "measure_with_suite",
    "newest_cases",
    "newest_comparisons",
    "next_question",
    "owners_of",
    "plan_gathering",
    "plan_hearing",
    "plan_neighbours",
    "points",
    "prepare_case",
    "prepare_preview",
    "prepare_replay",
    "queue_overdue_audits",
    "record_progress",
    "record_replay",
    "record_waiting",
    "report_label",
    "request_audit",
    "request_comparison",
    "request_gathering",
    "second_case",
    "settle_dispute",
    "settle_question",
    "show_case",
    "sign_report",
    "source_of_rollout",
    "start_audit",
    "start_comparison",
    "submit_case",
]
