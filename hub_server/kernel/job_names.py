"""Every kind of job, by the name that its row carries. A feature may queue a job that a higher feature runs."""

from enum import StrEnum


class JobName(StrEnum):
    """The value is stored. Renaming one needs a migration, or waiting jobs are never run."""

    SEND_RESET = "accounts.send_reset"
    SEND_CONFIRMATION = "accounts.send_confirmation"
    SEND_NOTICE = "accounts.send_notice"
    LOSE_OWNER = "accounts.lose_owner"
    AUDIT_RELEASE = "audits.audit_release"
    COMPARE = "audits.compare"
    ASK_VERIFIERS = "audits.ask_verifiers"
    FIND_NEIGHBOURS = "audits.find_neighbours"
    FOLLOW_HIDDEN_ACCOUNT = "audits.follow_hidden_account"
    GATHER_DISAGREEMENTS = "audits.gather_disagreements"
    MEASURE_AFTER_MEMBERSHIP = "audits.measure_after_membership"
    MEASURE_AFTER_TRANSFER = "audits.measure_after_transfer"
    MEASURE_WITH_SUITE = "audits.measure_with_suite"
    REPLAY_CASE = "audits.replay_case"
    SETTLE_QUESTION = "audits.settle_question"
    ERASE_BYTES = "catalog.erase_bytes"
    MEASURE_DIFFICULTY = "runs.measure_difficulty"
    SEND_NEWS = "watches.send_news"
    DELIVER_WEBHOOK = "webhooks.deliver"
    MEASURE_BENCHMARK = "evaluations.measure_benchmark"
