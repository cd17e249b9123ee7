"""Words and refusals, as the pages explain them."""

from collections.abc import Mapping

from schemas.problem import ProblemCode

WORDS: tuple[tuple[str, str], ...] = (
    ("package", "owner/name, of one kind; has releases"),
    ("release", "one version of a package: one wheel, closed at birth, named by its digest"),
    ("task", "one row: what the model is asked, and what only the verifier may see"),
    ("environment", "tasks, and optionally state, tools and turns around them"),
    ("verifier", "looks at a task and what the model did; returns a verdict"),
    ("reward", "one named component of a verdict, in its declared range; null = could not be judged"),
    ("verdict", "the reward vector, plus info, or an error that says whose fault it was"),
    ("score, gate, metric", "the role of a reward: adds up; zeroes the sum when it fails; is only logged"),
    ("harness", "the loop that drives a model through an environment"),
    ("benchmark", "a pinned set of environments and harnesses"),
    ("recipe", "a training method as data"),
    ("audit", "labelled cases run through a verifier"),
    ("audit case", "a task, a response, and the verdict that it must get"),
    ("probe", "a generated audit case whose label is certain by construction"),
    ("counter-example", "an audit case that somebody else submitted against a verifier; can be disputed"),
    ("rollout", "what the model did on one task, with its verdicts"),
    ("run", "one training or evaluation run: its lock, its metrics, its rollouts"),
)

# Code -> what it means and what to do. ``tests/hub_server/pages`` names a code that is missing.
PROBLEMS: Mapping[str, str] = {
    ProblemCode.INVALID_REQUEST: (
        "The request cannot be understood or breaks a rule. The detail names the field; correct it."
    ),
    ProblemCode.INVALID_PACKAGE: (
        "The wheel or its verihub.toml breaks a rule of the format. `verihub check` finds the same faults "
        "before publishing."
    ),
    ProblemCode.INVALID_CASE: (
        "The case cannot be replayed against this package. Give a task (whole, or by id) and a response."
    ),
    ProblemCode.NOT_AUTHENTICATED: (
        "Nobody is logged in, or the token has ended. `verihub login`, or make a token on the account page."
    ),
    ProblemCode.NOT_ALLOWED: (
        "You are logged in and may not do this: another owner, a missing scope, or another site sent it."
    ),
    ProblemCode.PACKAGE_NOT_FOUND: "There is no such package. Search for it; names are owner/name.",
    ProblemCode.RELEASE_NOT_FOUND: "The package has no release that fits. The detail lists those that there are.",
    ProblemCode.TASK_NOT_FOUND: "The release has no such task or split.",
    ProblemCode.RUN_NOT_FOUND: "There is no such run.",
    ProblemCode.AUDIT_NOT_FOUND: "There is no such audit, or none that is done.",
    ProblemCode.ACCOUNT_NOT_FOUND: "There is no such account.",
    ProblemCode.CASE_NOT_FOUND: "The package has no such counter-example.",
    ProblemCode.PAGE_NOT_FOUND: "Nothing is at this address.",
    ProblemCode.VERSION_EXISTS: (
        "This version was published with other bytes, and a release never changes. Raise the version."
    ),
    ProblemCode.NAME_TAKEN: "The name is taken, reserved, or too like one that is. Choose another.",
    ProblemCode.KIND_CHANGED: "A package keeps its kind for ever. Publish under another name.",
    ProblemCode.IDEMPOTENCY_CONFLICT: (
        "This Idempotency-Key was used for another request. Make a new one for each act."
    ),
    ProblemCode.QUARANTINED: "The release is being looked into. It can be seen, but neither downloaded nor run.",
    ProblemCode.TOO_LARGE: "The body is larger than this hub takes.",
    ProblemCode.TOO_MANY_REQUESTS: "Too many requests in a short time. Wait as long as Retry-After says.",
    ProblemCode.SANDBOX_UNAVAILABLE: (
        "The sandbox cannot run code now. The same request may succeed later; `verihub doctor` tells an operator why."
    ),
    ProblemCode.STORAGE_UNAVAILABLE: "Storage cannot take or give bytes now. The same request may succeed later.",
    ProblemCode.DEVICE_PENDING: "Nobody has allowed the device yet. Poll again after the interval.",
    ProblemCode.DEVICE_SLOW_DOWN: "The device polls too often. Wait longer between polls.",
    ProblemCode.DEVICE_DENIED: "The device was turned away.",
    ProblemCode.DEVICE_EXPIRED: "The device's code has ended. Start again.",
    ProblemCode.ORGANIZATION_NOT_FOUND: "There is no such organisation.",
    ProblemCode.BENCHMARK_NOT_FOUND: "There is no such benchmark.",
    ProblemCode.REPORT_NOT_FOUND: "There is no such report.",
    ProblemCode.TOKEN_NOT_FOUND: "You have no such token.",
    ProblemCode.FILE_NOT_FOUND: "The release holds no such file.",
    ProblemCode.BLOB_MISSING: "The hub has lost the bytes that belong to this release. Its operator is told.",
    ProblemCode.CASE_EXISTS: "Somebody has submitted this response to this task already. The detail names the case.",
    ProblemCode.CASE_STATE: "Only a confirmed or fixed case can be disputed, and only a disputed one settled.",
    ProblemCode.INTERNAL: "The hub failed: a fault of ours. Its operator finds the request by its number.",
}
