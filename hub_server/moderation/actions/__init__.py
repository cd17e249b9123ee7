"""What people can report and moderators can do: one module for each subject."""

from hub_server.moderation.actions.cases import hide_case, settle_case, show_case
from hub_server.moderation.actions.collections import hide_collection, show_collection
from hub_server.moderation.actions.discussions import close_discussion, hide_post, reopen_discussion, show_post
from hub_server.moderation.actions.log import list_events
from hub_server.moderation.actions.profiles import hide_profile, show_profile
from hub_server.moderation.actions.quarantines import (
    quarantine_package,
    quarantine_release,
    release_from_quarantine,
    unquarantine_package,
)
from hub_server.moderation.actions.reports import (
    STATES,
    decide_report,
    get_report,
    list_reports,
    report_collection,
    report_owner,
    report_package,
)
from hub_server.moderation.actions.suspensions import (
    block_name,
    list_blocked,
    list_suspended,
    reset_second_factor,
    set_moderator,
    suspend_account,
    unblock_name,
    unsuspend_account,
)
from hub_server.moderation.actions.takedowns import take_down_package, take_down_release

__all__ = [
    "STATES",
    "block_name",
    "close_discussion",
    "decide_report",
    "get_report",
    "hide_case",
    "hide_collection",
    "hide_post",
    "hide_profile",
    "list_blocked",
    "list_events",
    "list_reports",
    "list_suspended",
    "quarantine_package",
    "quarantine_release",
    "release_from_quarantine",
    "reopen_discussion",
    "report_collection",
    "report_owner",
    "report_package",
    "reset_second_factor",
    "set_moderator",
    "settle_case",
    "show_case",
    "show_collection",
    "show_post",
    "show_profile",
    "suspend_account",
    "take_down_package",
    "take_down_release",
    "unblock_name",
    "unquarantine_package",
    "unsuspend_account",
]
