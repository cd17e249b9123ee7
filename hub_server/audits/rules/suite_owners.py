"""Which suites count as one owner's."""

from collections.abc import Collection, Mapping

from schemas.measures.owners import HUB


def counted_as_one(people: Mapping[str, Collection[str]], own: Collection[str] = ()) -> dict[str, str]:
    """Suite -> the name of its owner. Suites that share a person, also by way of a third, have the same.

    ``people``: suite -> the accounts that may publish it, so that an account and its own organisation are one owner.
    ``own``: suites that count as the hub's. Other suites of the same people do not: otherwise whoever gets one of the
    operator's people into an organisation could make grades as the hub does.
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
