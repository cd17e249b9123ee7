"""Which commands there are, in the groups that ``verihub --help`` shows. Data only: nothing here is slow to import."""

from functools import cache
from importlib.metadata import EntryPoints, entry_points

EXTENSIONS = "verihub.commands"
"""The group of entry points by which other packages add commands."""

# Heading -> command -> (module:function or module:app, one line). "" means that another installed package provides it.
GROUPS: dict[str, dict[str, tuple[str, str]]] = {
    "Author: make, measure and publish packages": {
        "init": ("hub_client.commands.init:init", "Start a package from a working example."),
        "import": (
            "hub_client.commands.import_packages:import_packages",
            "Bring in an environment of another library.",
        ),
        "check": ("hub_client.commands.check:check", "Find out what a hub would refuse, and what changed."),
        "audit": ("hub_client.commands.audit:audit", "Measure a verifier's false positives and false negatives."),
        "compare": ("hub_client.commands.compare:compare", "Compare two verifiers: where they agree and where not."),
        "pack": ("hub_client.commands.pack:pack", "Build a package's wheel, or list what would be in it."),
        "publish": ("hub_client.commands.publish:publish", "Send packages to the hub, where they are measured."),
        "visibility": ("hub_client.commands.visibility:visibility", "Say who sees a package, or make it public."),
        "deprecate": ("hub_client.commands.deprecate:deprecate", "Say what to use instead of a release."),
        "owner": ("hub_client.commands.owner:app", "Who has a package: give it away, archive it, delete it."),
        "yank": ("hub_client.commands.yank:yank", "Take a release out of @latest and ranges."),
    },
    "Reader: find packages and use them": {
        "search": ("hub_client.commands.search:search", "Search the catalogue."),
        "info": ("hub_client.commands.info:info", "Show a package, its rewards and its measured rates."),
        "collection": (
            "hub_client.commands.collection:app",
            "Collections: lists of packages with a page, a note beside each.",
        ),
        "versions": ("hub_client.commands.versions:versions", "List a package's releases, with state and grade."),
        "similar": ("hub_client.commands.similar:similar", "List packages that ask something alike of a model."),
        "dependants": ("hub_client.commands.dependants:dependants", "List packages that depend on one or name it."),
        "diff": ("hub_client.commands.diff:diff", "Show what changed between two releases."),
        "report": (
            "hub_client.commands.report:report",
            "Tell the moderators about a package, a person or an organisation.",
        ),
        "score": ("hub_client.commands.score:score", "Judge one response."),
        "cases": (
            "hub_client.commands.cases:app",
            "Counter-examples: submit, list, label, second, dispute, settle.",
        ),
        "discuss": ("hub_client.commands.discuss:app", "Discussions: list, show, open, reply, follow, close."),
        "pull": ("hub_client.commands.pull:pull", "Fetch a release, verified, into the cache."),
        "tasks": ("hub_client.commands.tasks:tasks", "Print an environment's tasks, or write them into a file."),
        "lock": ("hub_client.commands.lock:lock", "Pin packages, images and audits in verihub.lock."),
        "sync": ("hub_client.commands.sync:sync", "Fetch exactly what verihub.lock pins."),
        "cache": ("hub_client.commands.cache:app", "The cache on this machine: list, size, prune."),
        "verify": ("hub_client.commands.verify:verify", "Prove that the hub published exactly these bytes."),
        "monitor": ("hub_client.commands.monitor:monitor", "Keep a copy of the hub's journal, and check all of it."),
        "events": ("hub_client.commands.events:events", "List what happened on the hub, in order."),
        "mcp": ("hub_client.commands.mcp:mcp", "Serve packages' tools over the Model Context Protocol."),
    },
    "Trainer: train and evaluate models": {
        "train": ("", "Train a model on the hub's environments."),
        "eval": ("hub_client.commands.evaluate:evaluate", "Evaluate a model on a benchmark or an environment."),
        "serve-model": ("", "Serve a model as an OpenAI-compatible endpoint."),
        "run": ("hub_client.commands.run:app", "Training and evaluation runs on the hub."),
        "rescore": ("hub_client.commands.rescore:rescore", "Judge a run's rollouts with another verifier."),
        "export": ("hub_client.commands.export:export", "Write an environment for verifiers, prime-rl or Harbor."),
        "openenv": ("hub_client.commands.openenv:openenv", "Serve an environment to OpenEnv's clients."),
    },
    "Operator: run a hub": {
        "serve": ("", "Run a whole hub in this process."),
        "worker": ("", "Run a hub's jobs in one more process."),
        "copy": ("hub_client.commands.copy_packages:copy_packages", "Bring packages of another hub onto this one."),
        "admin": ("", "Moderate and maintain a hub on its own machine."),
        "doctor": ("hub_client.commands.doctor:doctor", "Find out what this machine lacks, and how to get it."),
    },
    "Account": {
        "login": ("hub_client.commands.login:login", "Log in, or sign up."),
        "logout": ("hub_client.commands.logout:logout", "Forget the token for this hub."),
        "whoami": ("hub_client.commands.whoami:whoami", "Say whose token is used."),
        "account": ("hub_client.commands.account:app", "Your account: its password, what it changed, its end."),
        "email": ("hub_client.commands.email_address:app", "Your e-mail address: show, set, confirm."),
        "second-factor": (
            "hub_client.commands.second_factor:app",
            "A second factor for signing in: show, on, off.",
        ),
        "session": ("hub_client.commands.session:app", "Browsers that are logged in as you: list, end."),
        "organization": (
            "hub_client.commands.organization:app",
            "Organisations: create, invite, accept, leave.",
        ),
        "key": ("hub_client.commands.key:app", "Sign your releases with a key of your own."),
        "token": ("hub_client.commands.token:app", "Make, list and revoke tokens."),
        "watch": ("hub_client.commands.watch:app", "Be mailed what happens to packages and owners."),
        "webhook": ("hub_client.commands.webhook:app", "Have the hub tell your programs what happens."),
        "trusted-publisher": (
            "hub_client.commands.trusted_publisher:app",
            "Let workflows publish without a stored token.",
        ),
    },
}
OTHER_NAMES = {"org": "organization"}
"""Short names that are understood too."""
MEANT = {
    "show": "info", "view": "info", "describe": "info", "list": "search", "ls": "search", "find": "search",
    "install": "pull", "download": "pull", "get": "pull", "new": "init", "create": "init", "test": "check",
    "validate": "check", "upload": "publish", "push": "publish", "build": "pack", "judge": "score", "verdict": "score",
    "signup": "login", "register": "login", "start": "serve", "delete": "owner", "transfer": "owner",
    "benchmark": "eval", "reproduce": "run", "replay": "run", "inspect": "info", "freeze": "lock",
}  # fmt: skip
"""What other command lines call a command of ours. It is suggested and not run: they may do more, or something else."""
MEANT_OPTIONS = {
    "--limit": "--tasks", "--num-examples": "--tasks", "--num-tasks": "--tasks", "--max-samples": "--tasks",
    "--rollouts-per-example": "--samples", "--epochs": "--samples", "--api-base-url": "--endpoint",
    "--base-url": "--endpoint", "--model-base-url": "--endpoint", "--max-connections": "--workers",
    "--max-concurrent": "--workers", "--max-steps": "--steps", "--output-dir": "--output", "--lr": "--learning-rate",
    "--group-size": "--num-generations", "--visibility": "--private",
}  # fmt: skip
"""What other trainers and evaluations call an option of ours. It is suggested where the command has it."""
_ALL = {name: entry for group in GROUPS.values() for name, entry in group.items()}
COMMANDS = {name: entry for name, entry in _ALL.items() if entry[0]}
"""The client's own commands."""


@cache
def extensions() -> EntryPoints:
    """The commands of installed packages. Kept: looking through what is installed takes 8 ms of CPU."""
    return entry_points(group=EXTENSIONS)


def extension_names() -> set[str]:
    """Commands of installed packages that are in no group."""
    return extensions().names - _ALL.keys()


def all_names() -> list[str]:
    """Every command, in the order of the groups; extensions last."""
    return [*_ALL, *sorted(extension_names())]


def line_of(name: str) -> str:
    """One line about a command."""
    return _ALL[name][1] if name in _ALL else "Of another installed package."
