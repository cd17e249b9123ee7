"""Fields with two tables each, and their rows: ties, empty groups and values at a limit are common."""

import random

SCHEMA = (
    "CREATE TABLE {p} (id INTEGER PRIMARY KEY, name TEXT, {place} TEXT, {size} INTEGER);\n"
    "CREATE TABLE {e} (id INTEGER PRIMARY KEY, {key} INTEGER REFERENCES {p}(id), day TEXT, {amount} INTEGER);"
)
DOMAINS = tuple(
    dict(zip(("p", "place", "size", "e", "key", "amount"), names.split(), strict=True))
    for names in (
        "farms valley cows sales farm_id litres",
        "drivers town age rides driver_id minutes",
        "ships harbour crew voyages ship_id tonnes",
        "bakers street ovens orders baker_id loaves",
        "members city years loans member_id pages",
        "pumps quarter pressure repairs pump_id hours",
    )
)
NAMES = ("Alma", "Bruno", "Carla", "Dario", "Edda", "Falk", "Greta", "Hugo", "Ines", "Jana")
PLACES = ("North", "South", "East")
LIMIT = 20
"""Near which sizes and amounts lie, so that a query that is off by one shows."""
DAYS = ("2024-03-30", "2024-03-31", "2024-04-01", "2024-04-15", "2024-04-30", "2024-05-01")


def fill(domain: dict[str, str], rng: random.Random) -> dict[str, list[list]]:
    """Table -> rows. Some of the first table have no row in the second; two may have one name."""
    names = rng.sample(NAMES, 7)
    if rng.random() < 0.5:
        names[1] = names[0]
    sizes = [LIMIT - 1, LIMIT, LIMIT + 1, LIMIT + 5]
    parents = [[n, name, rng.choice(PLACES), rng.choice(sizes)] for n, name in enumerate(names, 1)]
    active = rng.sample(range(1, 8), 5)
    events = [[n, rng.choice(active), rng.choice(DAYS), rng.choice([*sizes, 2])] for n in range(1, 13)]
    return {domain["p"]: parents, domain["e"]: events}
