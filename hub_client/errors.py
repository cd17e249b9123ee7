"""The errors of the client as a tree. Each branch has its exit code.

::

    HubClientError                 1
      UsageError                   2   the request makes no sense as it was typed
      NotLoggedInError             3   no token, or one that is no longer valid
        LoginPendingError          3   a login in a browser that nobody has confirmed yet
      NotFoundError                4   no such package, release, task, run …
      ConflictError                5   what is there already contradicts the request
      CheckFailedError             6   a project or wheel that cannot be a release; an audit below what was asked for
        AuditLimitError            6   a verifier whose audit is missing, or exceeds the limits that were set
      IntegrityError               7   bytes that are not what their digest says; an unsafe archive
      HubUnreachableError          8   no answer, or an offline miss
        SandboxMissingError        8   nothing here can run a package, and no hub may do it instead
        EndpointRefusedError       8   a model's server that refuses
      PolicyError                  9   refused on purpose: quarantined, not allowed, too many requests
        CodeNeededError            9   the password was right, and the account's second factor needs a code
      RequestRefusedError          1   a refusal with a code this client is too old to know
      SessionLostError             1   a live session whose process or box has ended while it was used
"""

from schemas.problem import Problem, ProblemCode, ProblemPart


class HubClientError(Exception):
    """Root. The message is one or a few lines: what happened and what to do."""

    exit_code = 1

    def __init__(self, message: str, *, problem: Problem | None = None) -> None:
        super().__init__(message)
        self.problem = problem

    @property
    def parts(self) -> list[ProblemPart]:
        """The single faults that the hub listed, if any."""
        return self.problem.errors if self.problem else []


class UsageError(HubClientError):
    """The request makes no sense as it was typed."""

    exit_code = 2


class NotLoggedInError(HubClientError):
    """There is no token for this hub, or it is no longer valid."""

    exit_code = 3


class LoginPendingError(NotLoggedInError):
    """Nobody has confirmed the login in a browser yet. ``slow_down``: the hub wants longer pauses between polls."""

    @property
    def slow_down(self) -> bool:
        """Whether the hub asked for five seconds more between polls (RFC 8628)."""
        return self.problem is not None and self.problem.code == ProblemCode.DEVICE_SLOW_DOWN


class NotFoundError(HubClientError):
    """There is no such thing, or the account may not know of it."""

    exit_code = 4


class ConflictError(HubClientError):
    """The request contradicts what already exists."""

    exit_code = 5


class CheckFailedError(HubClientError):
    """A project, wheel or case with faults. The message lists all of them."""

    exit_code = 6


class AuditLimitError(CheckFailedError):
    """A verifier has no audit, or its audit exceeds the limits that were set. The message names every limit."""


class IntegrityError(HubClientError):
    """Bytes that do not match their digest, or an archive that is unsafe to open."""

    exit_code = 7


class HubUnreachableError(HubClientError):
    """The hub did not answer, or it was not asked (offline) and the answer is not in the cache."""

    exit_code = 8


class SandboxMissingError(HubUnreachableError):
    """No box can be opened here, and no hub can run the package instead."""


class EndpointRefusedError(HubUnreachableError):
    """A model's server answered with a refusal. ``status`` is its HTTP status, ``said`` the body's text."""

    def __init__(self, address: str, status: int, said: str) -> None:
        super().__init__(f"{address} refuses ({status}): {' '.join(said.split())[:300] or 'without a word'}")
        self.status = status
        self.said = said


class PolicyError(HubClientError):
    """The hub refuses by its rules."""

    exit_code = 9


class CodeNeededError(PolicyError):
    """The password was right, and the account needs a code too."""


class RequestRefusedError(HubClientError):
    """The hub refused with a code that this client does not know."""


class SessionLostError(HubClientError):
    """A live session was used whose process or box has ended. Another session can be opened."""


REFUSALS: dict[ProblemCode, type[HubClientError]] = {
    ProblemCode.INVALID_REQUEST: UsageError,
    ProblemCode.INVALID_PACKAGE: CheckFailedError,
    ProblemCode.INVALID_CASE: CheckFailedError,
    ProblemCode.NOT_AUTHENTICATED: NotLoggedInError,
    ProblemCode.NOT_ALLOWED: PolicyError,
    ProblemCode.PACKAGE_NOT_FOUND: NotFoundError,
    ProblemCode.RELEASE_NOT_FOUND: NotFoundError,
    ProblemCode.TASK_NOT_FOUND: NotFoundError,
    ProblemCode.RUN_NOT_FOUND: NotFoundError,
    ProblemCode.AUDIT_NOT_FOUND: NotFoundError,
    ProblemCode.ACCOUNT_NOT_FOUND: NotFoundError,
    ProblemCode.CASE_NOT_FOUND: NotFoundError,
    ProblemCode.PAGE_NOT_FOUND: NotFoundError,
    ProblemCode.VERSION_EXISTS: ConflictError,
    ProblemCode.NAME_TAKEN: ConflictError,
    ProblemCode.KIND_CHANGED: ConflictError,
    ProblemCode.COLLECTION_CHANGED: ConflictError,
    ProblemCode.DISCUSSION_CLOSED: ConflictError,
    ProblemCode.ARCHIVED: ConflictError,
    ProblemCode.STILL_USED: ConflictError,
    ProblemCode.TRANSFER: ConflictError,
    ProblemCode.TRANSFER_NOT_FOUND: NotFoundError,
    ProblemCode.PACKAGE_MOVED: NotFoundError,
    ProblemCode.MEMBERSHIP: ConflictError,
    ProblemCode.VISIBILITY: ConflictError,
    ProblemCode.IDEMPOTENCY_CONFLICT: ConflictError,
    ProblemCode.QUARANTINED: PolicyError,
    ProblemCode.WITHHELD: PolicyError,
    ProblemCode.ACCOUNT_SUSPENDED: PolicyError,
    ProblemCode.NAME_BLOCKED: PolicyError,
    ProblemCode.PASSWORD_NEEDED: PolicyError,
    ProblemCode.SECOND_FACTOR_NEEDED: CodeNeededError,
    ProblemCode.AUTHOR_KEY: ConflictError,
    ProblemCode.AUTHOR_SIGNATURE: CheckFailedError,
    ProblemCode.SECURITY_KEY: ConflictError,
    ProblemCode.TOO_LARGE: CheckFailedError,
    ProblemCode.UPLOAD_NOT_FOUND: ConflictError,
    ProblemCode.TOO_MANY_REQUESTS: PolicyError,
    ProblemCode.BUSY: HubUnreachableError,
    ProblemCode.SANDBOX_UNAVAILABLE: SandboxMissingError,
    ProblemCode.STORAGE_UNAVAILABLE: HubUnreachableError,
    ProblemCode.READ_ONLY: HubUnreachableError,
    ProblemCode.MIRROR: PolicyError,
    ProblemCode.DEVICE_PENDING: LoginPendingError,
    ProblemCode.DEVICE_SLOW_DOWN: LoginPendingError,
    ProblemCode.DEVICE_DENIED: PolicyError,
    ProblemCode.DEVICE_EXPIRED: NotLoggedInError,
    ProblemCode.ORGANIZATION_NOT_FOUND: NotFoundError,
    ProblemCode.INVITATION_NOT_FOUND: NotFoundError,
    ProblemCode.BENCHMARK_NOT_FOUND: NotFoundError,
    ProblemCode.REPORT_NOT_FOUND: NotFoundError,
    ProblemCode.QUESTION_NOT_FOUND: NotFoundError,
    ProblemCode.COMPARISON_NOT_FOUND: NotFoundError,
    ProblemCode.COLLECTION_NOT_FOUND: NotFoundError,
    ProblemCode.DISCUSSION_NOT_FOUND: NotFoundError,
    ProblemCode.WEBHOOK_NOT_FOUND: NotFoundError,
    ProblemCode.WEBHOOK_REFUSED: UsageError,
    ProblemCode.WATCH_LIMIT: PolicyError,
    ProblemCode.TOKEN_NOT_FOUND: NotFoundError,
    ProblemCode.FILE_NOT_FOUND: NotFoundError,
    ProblemCode.BLOB_MISSING: HubUnreachableError,
    ProblemCode.CASE_EXISTS: ConflictError,
    ProblemCode.CASE_STATE: ConflictError,
    ProblemCode.CASE_LIMIT: ConflictError,
    ProblemCode.LABEL_LIMIT: ConflictError,
    ProblemCode.RUN_LIMIT: ConflictError,
    ProblemCode.RESULTS_LIMIT: ConflictError,
    ProblemCode.TOKEN_LIMIT: ConflictError,
    ProblemCode.INTERNAL: HubUnreachableError,
}


def refusal_of(problem: Problem, note: str = "") -> HubClientError:
    """The error for ``problem``. An unknown code becomes :class:`RequestRefusedError`.

    ``note``: text that the client adds to the hub's message.
    """
    by_text: dict[str, type[HubClientError]] = {code.value: kind for code, kind in REFUSALS.items()}
    kind = by_text.get(problem.code, RequestRefusedError)
    lines = [problem.detail or problem.title]
    lines += [f"  {part.pointer + ': ' if part.pointer else ''}{part.message}" for part in problem.errors]
    lines += [f"  ({note})"] if note else []
    return kind("\n".join(dict.fromkeys(lines)), problem=problem)
