"""Whether a class can stand where a protocol is asked for: the type checker does not look at tests' stand-ins."""

import inspect


def differences(protocol: type, candidate: type, *attributes: str) -> list[str]:
    """What a caller of ``protocol`` would stumble over in ``candidate``: missing methods, other arguments, awaiting.

    ``attributes`` are those that ``candidate`` sets when one is made.
    """
    found = []
    for name, wanted in inspect.getmembers(protocol, inspect.isfunction):
        if name.startswith("_"):
            continue
        given = getattr(candidate, name, None)
        if not inspect.isfunction(given):
            found.append(f"{name} is missing")
            continue
        if inspect.iscoroutinefunction(wanted) != inspect.iscoroutinefunction(given):
            found.append(f"{name} is awaited in one of them")
        found += [f"{name}: {fault}" for fault in _argument_faults(wanted, given)]
    properties = inspect.getmembers(protocol, lambda member: isinstance(member, property))
    return found + [
        f"{name} is missing" for name, _ in properties if name not in attributes and not hasattr(candidate, name)
    ]


def _argument_faults(wanted: object, given: object) -> list[str]:
    ours = inspect.signature(wanted).parameters  # type: ignore[arg-type]
    theirs = inspect.signature(given).parameters  # type: ignore[arg-type]
    by_position = [name for name, one in ours.items() if one.kind is not one.KEYWORD_ONLY]
    faults = []
    if list(theirs)[: len(by_position)] != by_position:
        faults.append(f"takes {', '.join(theirs)} and not {', '.join(by_position)}")
    for name, one in ours.items():
        if name in theirs and one.default != theirs[name].default:
            faults.append(f"{name} is {theirs[name].default!r} by default and not {one.default!r}")
    faults += [f"has no {name}" for name in ours if name not in theirs]
    return faults + [
        f"also needs {name}" for name, one in theirs.items() if name not in ours and one.default is one.empty
    ]
