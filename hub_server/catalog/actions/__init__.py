"""What a person can read in the catalogue: one function for each action, one module for each subject."""

from hub_server.catalog.actions.files import (
    count_download,
    get_readme,
    list_downloads,
    list_files,
    read_file,
)
from hub_server.catalog.actions.index import (
    record_audit_state,
    record_audit_summary,
    record_replays,
    refresh_package,
    set_fact,
)
from hub_server.catalog.actions.releases import (
    card_of,
    find_judging_audit,
    find_release,
    get_package,
    get_release,
    list_releases,
    release_of,
    resolve_release,
    usable_release,
)
from hub_server.catalog.actions.search import (
    count_everything,
    list_newest_releases,
    list_package_ids,
    search_packages,
    suggest_packages,
)
from hub_server.catalog.actions.tasks import find_task

__all__ = [
    "card_of",
    "count_download",
    "count_everything",
    "find_judging_audit",
    "find_release",
    "find_task",
    "get_package",
    "get_readme",
    "get_release",
    "list_downloads",
    "list_files",
    "list_newest_releases",
    "list_package_ids",
    "list_releases",
    "read_file",
    "record_audit_state",
    "record_audit_summary",
    "record_replays",
    "refresh_package",
    "release_of",
    "resolve_release",
    "search_packages",
    "set_fact",
    "suggest_packages",
    "usable_release",
]
