"""How a refusal looks on the wire: RFC 9457 with a code from a closed list."""

from enum import StrEnum

from pydantic import Field

from schemas.base import WireModel


class ProblemCode(StrEnum):
    """Every way the hub refuses. The client maps each to an error class and an exit code."""

    INVALID_REQUEST = "invalid_request"
    INVALID_PACKAGE = "invalid_package"
    INVALID_CASE = "invalid_case"
    NOT_AUTHENTICATED = "not_authenticated"
    NOT_ALLOWED = "not_allowed"
    PACKAGE_NOT_FOUND = "package_not_found"
    RELEASE_NOT_FOUND = "release_not_found"
    TASK_NOT_FOUND = "task_not_found"
    RUN_NOT_FOUND = "run_not_found"
    AUDIT_NOT_FOUND = "audit_not_found"
    ACCOUNT_NOT_FOUND = "account_not_found"
    CASE_NOT_FOUND = "case_not_found"
    QUESTION_NOT_FOUND = "question_not_found"
    COLLECTION_NOT_FOUND = "collection_not_found"
    COLLECTION_CHANGED = "collection_changed"
    DISCUSSION_NOT_FOUND = "discussion_not_found"
    DISCUSSION_CLOSED = "discussion_closed"
    COMPARISON_NOT_FOUND = "comparison_not_found"
    PAGE_NOT_FOUND = "page_not_found"
    VERSION_EXISTS = "version_exists"
    NAME_TAKEN = "name_taken"
    KIND_CHANGED = "kind_changed"
    ARCHIVED = "archived"
    STILL_USED = "still_used"
    TRANSFER = "transfer"
    TRANSFER_NOT_FOUND = "transfer_not_found"
    PACKAGE_MOVED = "package_moved"
    VISIBILITY = "visibility"
    IDEMPOTENCY_CONFLICT = "idempotency_conflict"
    QUARANTINED = "quarantined"
    WITHHELD = "withheld"
    ACCOUNT_SUSPENDED = "account_suspended"
    NAME_BLOCKED = "name_blocked"
    SECOND_FACTOR_NEEDED = "second_factor_needed"
    AUTHOR_KEY = "author_key"
    AUTHOR_SIGNATURE = "author_signature"
    SECURITY_KEY = "security_key"
    PASSWORD_NEEDED = "password_needed"  # noqa: S105 -- a code, not a secret
    TOO_LARGE = "too_large"
    UPLOAD_NOT_FOUND = "upload_not_found"
    TOO_MANY_REQUESTS = "too_many_requests"
    BUSY = "busy"
    SANDBOX_UNAVAILABLE = "sandbox_unavailable"
    STORAGE_UNAVAILABLE = "storage_unavailable"
    READ_ONLY = "read_only"
    MIRROR = "mirror"
    DEVICE_PENDING = "authorization_pending"
    DEVICE_SLOW_DOWN = "slow_down"
    DEVICE_DENIED = "access_denied"
    DEVICE_EXPIRED = "expired_token"
    MEMBERSHIP = "membership"
    INVITATION_NOT_FOUND = "invitation_not_found"
    ORGANIZATION_NOT_FOUND = "organization_not_found"
    BENCHMARK_NOT_FOUND = "benchmark_not_found"
    REPORT_NOT_FOUND = "report_not_found"
    TOKEN_NOT_FOUND = "token_not_found"  # noqa: S105 -- a code, not a secret
    WATCH_LIMIT = "watch_limit"
    WEBHOOK_NOT_FOUND = "webhook_not_found"
    WEBHOOK_REFUSED = "webhook_refused"
    FILE_NOT_FOUND = "file_not_found"
    BLOB_MISSING = "blob_missing"
    CASE_EXISTS = "case_exists"
    CASE_STATE = "case_state"
    CASE_LIMIT = "case_limit"
    LABEL_LIMIT = "label_limit"
    RUN_LIMIT = "run_limit"
    RESULTS_LIMIT = "results_limit"
    TOKEN_LIMIT = "token_limit"  # noqa: S105 -- a code, not a secret
    INTERNAL = "internal"


class ProblemPart(WireModel):
    """What is wrong with one field. ``pointer`` is a JSON pointer or a path in the package."""

    pointer: str = ""
    message: str


class Problem(WireModel):
    """``application/problem+json``. ``code`` is text here, so that an old client can read a code it does not know."""

    type: str = "about:blank"
    title: str
    status: int
    code: str
    detail: str = ""
    instance: str = ""
    errors: list[ProblemPart] = Field(default_factory=list)
    near: list[str] = Field(default_factory=list)
    """Names that the hub has, near the one that was asked for."""
