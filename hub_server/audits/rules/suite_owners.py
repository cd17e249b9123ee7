"""Which suites count as one owner's."""

from collections.abc import Collection, Mapping

from schemas.measures.owners import HUB


def counted_as_one(people: Mapping[str, Collection[str]], own: Collection[str] = ()) -> dict[str, str]:
    """Suite -> the name of its owner. Suites that share a person, also by way of a third, have the same.

    ``people``: suite -> everybody who is behind it. Or an account and its own organisation would be two owners.
    ``own``: suites that count as the hub's. Nobody else's do because a person is behind both: else whoever got one of
    the operator's people into an organisation, or was let into theirs, would make grades as the hub does.
    """
    groups: list[tuple[set[str], set[str]]] = []
    for suite in sorted(people):
        suites, behind = {suite}, set(people[suite])
        for group in [one for one in groups if not one[1].isdisjoint(behind)]:
            groups.remove(group)
            suites |= group[0]
            behind |= group[1]
        groups.append((suites, behind))
    return {
        suite: HUB if suite in own else min(suites.difference(own)).partition("/")[0]
        for suites, _ in groups
        for suite in suites
    }
