"""A release's state, from the facts about it and its package, with the reason that people read."""

from schemas.manifest import Manifest
from schemas.package import ReleaseState


def bar_of(*, taken_down: str | None, quarantined: str | None, hidden: str | None) -> str | None:
    """Why none of a package's releases can be used, or None. Each argument is a fact's reason, or None."""
    facts = (
        ("Taken down", taken_down),
        ("The whole package is quarantined", quarantined),
        ("Its owner is suspended", hidden),
    )
    return next((f"{words}: {reason}" for words, reason in facts if reason is not None), None)


def state_of(
    *, barred: str | None, taken_down: str | None, quarantined: str | None, yanked: str | None, deprecated: str | None
) -> tuple[ReleaseState, str]:
    """The strictest fact that holds, and its reason. Each argument is that fact's reason, or None where it is not.

    ``barred``: the package's, by :func:`bar_of`.
    """
    facts = (
        (ReleaseState.QUARANTINED, f"Taken down: {taken_down}" if taken_down is not None else None),
        (ReleaseState.QUARANTINED, barred),
        (ReleaseState.QUARANTINED, quarantined),
        (ReleaseState.YANKED, yanked),
        (ReleaseState.DEPRECATED, deprecated),
    )
    return next(((state, reason) for state, reason in facts if reason is not None), (ReleaseState.ACTIVE, ""))


def waiting_for_replay(fixed_case_count: int) -> str:
    """Why a new release is not ``@latest`` yet, or empty."""
    if not fixed_case_count:
        return ""
    cases = (
        "a counter-example that was fixed"
        if fixed_case_count == 1
        else f"{fixed_case_count} counter-examples that were fixed"
    )
    return f"Its audit must first replay {cases}."


def without_words(manifest: Manifest) -> Manifest:
    """The manifest without its author's texts. Names stay (rewards, splits, files, functions): the format asks them."""
    rewards = {name: declared.model_copy(update={"description": ""}) for name, declared in manifest.rewards.items()}
    return manifest.model_copy(update={"tags": [], "judges": {}, "model": None, "imported": None, "rewards": rewards})
