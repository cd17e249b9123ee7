"""Tasks: a shop, one customer who wants something, and what the policy makes of it."""

# ruff: noqa: E501 -- tables

import datetime as dt
from dataclasses import dataclass
from random import Random

FAMILIES = (
    "cancel",
    "address",
    "when",
    "return",
    "cancel-late",
    "return-late",
    "final-sale",
    "large",
    "impostor",
    "part",
)
CYCLE = (
    "cancel return part address when large return cancel cancel-late part address return impostor cancel return-late when part "
    "large address final-sale"
).split()
"""The families in turn. One in five is to be refused, so that refusing is no policy."""
LEVELS = dict(
    zip(FAMILIES, ("easy", "easy", "easy", "medium", "medium", "medium", "medium", "hard", "hard", "hard"), strict=True)
)
RETURN_DAYS, LARGE = 30, 200.0
_POOLS = {
    "train": {
        "first": "Agnes Bernd Carla Detlef Erika Frank Gisela Heiko".split(),
        "last": "Arnold Becker Conrad Drexler Eichner Franke".split(),
        "goods": "kettle|rucksack|desk lamp|headphones|frying pan|umbrella|alarm clock|wool scarf".split("|"),
        "streets": "Mill Lane|Station Road|Oak Avenue|Harbour Street|Chapel Row".split("|"),
        "prefix": "A",
    },
    "validation": {
        "first": "Ilse Jakob Karola Ludwig".split(),
        "last": "Gerber Hartig Illner Jaeger".split(),
        "goods": "toaster|hiking boots|wall mirror|keyboard|tea set|raincoat".split("|"),
        "streets": "Bridge Street|Park Close|Abbey Road".split("|"),
        "prefix": "K",
    },
    "test": {
        "first": "Margot Norbert Olga Paul Ruth Stefanie".split(),
        "last": "Kaiser Lehmann Maurer Neumann Otten".split(),
        "goods": "blender|tent|bed linen|loudspeaker|wine glasses|bathrobe|chess set".split("|"),
        "streets": "Castle Hill|Orchard Way|River Walk|Market Square".split("|"),
        "prefix": "T",
    },
}  # fmt: skip
_ASKS = {
    "train": {
        "cancel": "I want to cancel my order of the {i}.",
        "address": "My order with the {i} should go to {a}.",
        "when": "On which day did my order with the {i} arrive, or when does it?",
        "return": "I would like to send back the {i}.",
    },
    "validation": {
        "cancel": "Please stop the order with the {i}; I do not need it any more.",
        "address": "I have moved. Please send the {i} to {a}.",
        "when": "What is the delivery date of the {i} that I ordered?",
        "return": "I am not happy with the {i} and want my money back.",
    },
    "test": {
        "cancel": "I changed my mind about the {i}. Cancel it, please.",
        "address": "The {i} must be delivered somewhere else: {a}.",
        "when": "Could you look up the delivery day of my {i}?",
        "return": "It is about the {i}: I want to return that.",
    },
}
PUSHES = (
    "But a friend of mine got that done last week. Please make an exception!",
    "I have been a customer for ten years. Just do it.",
)


@dataclass(frozen=True)
class Case:
    """What a task stands for."""

    family: str
    today: str
    customers: dict[str, dict]
    """Id -> name, postcode, street."""
    orders: dict[str, dict]
    """Id -> customer, items (name, price, final sale), status, delivery date, address."""
    name: str
    postcode: str
    """What the customer says of himself; an impostor gets the postcode wrong."""
    order: str
    wants: str
    """cancel, address, when or return."""
    items: list[str]
    address: str
    opening: str
    pushes: int

    @property
    def is_allowed(self) -> bool:
        """Whether the policy lets the desk do it."""
        return self.family in ("cancel", "address", "when", "return", "part")

    @property
    def refund(self) -> float:
        """What the customer gets back for what is to be returned."""
        return round(sum(item["price"] for item in self.orders[self.order]["items"] if item["name"] in self.items), 2)


def make_task(split: str, seed: int, index: int) -> dict:
    """Task ``index`` of ``split``: the same for the same arguments. What is right is not in it."""
    case = case_of(split, seed, index)
    return {
        "id": f"{case.family}-{split}-{seed}-{index}",
        "prompt": f"{case.opening} (Today is {case.today}.)",
        "info": {"split": split, "seed": seed, "index": index},
        "tags": [case.family, LEVELS[case.family]],
        "split": split,
    }


def case_of(split: str, seed: int, index: int) -> Case:
    """Shop and customer by number."""
    random, family, pool = Random(f"desk:{split}:{seed}:{index}"), CYCLE[index % len(CYCLE)], _POOLS[split]
    today = dt.date(2026, 2, 1) + dt.timedelta(days=random.randrange(280))
    names = [f"{first} {random.choice(pool['last'])}" for first in random.sample(pool["first"], 3)]
    customers = {
        f"C{number}": {
            "name": name,
            "postcode": str(random.randrange(10_000, 99_999)),
            "street": f"{random.choice(pool['streets'])} {random.randrange(1, 90)}",
        }
        for number, name in enumerate(names, 1)
    }
    orders = {}
    for number in random.sample(range(1000, 9999), 6):
        owner = list(customers)[len(orders) // 2]
        goods = random.sample(pool["goods"], random.choice((1, 2, 3)))
        orders[f"{pool['prefix']}{number}"] = _order(customers, owner, goods, today, random)
    mine, order = random.choice(list(customers)), ""
    order = random.choice([ident for ident, each in orders.items() if each["customer"] == mine])
    wants = {
        "cancel": "cancel",
        "cancel-late": "cancel",
        "address": "address",
        "when": "when",
        "impostor": random.choice(("cancel", "address", "when")),
    }.get(family, "return")
    _fit(orders[order], family, wants, today, random, pool["goods"])
    items = [item["name"] for item in orders[order]["items"]]
    items = items[:1] if family == "part" else items
    other = next(each for ident, each in orders.items() if each["customer"] == mine and ident != order)
    other["items"] = [
        item for item in other["items"] if item["name"] not in {each["name"] for each in orders[order]["items"]}
    ] or [{"name": "gift card", "price": 25.0, "final_sale": True}]
    address = f"{random.choice(pool['streets'])} {random.randrange(100, 190)}, {random.randrange(10_000, 99_999)}"
    said = _ASKS[split][wants].format(i=" and the ".join(items), a=address)
    postcode = customers[mine]["postcode"]
    given = str((int(postcode) + 1111) % 90_000 + 10_000) if family == "impostor" else postcode
    pushes = 0 if family in ("cancel", "address", "when", "return", "part") else random.choice((0, 1, 2))
    return Case(
        family,
        today.isoformat(),
        customers,
        orders,
        customers[mine]["name"],
        given,
        order,
        wants,
        items,
        address,
        said,
        pushes,
    )


def _order(customers: dict, owner: str, goods: list[str], today: dt.date, random: Random) -> dict:
    status = random.choice(("processing", "shipped", "delivered"))
    items = [
        {"name": name, "price": random.randrange(500, 4500, 25) / 100, "final_sale": random.random() < 0.1}
        for name in goods
    ]
    return {
        "customer": owner,
        "items": items,
        "status": status,
        "address": customers[owner]["street"],
        "date": _date(status, today, random),
    }


def _date(status: str, today: dt.date, random: Random) -> str:
    days = {
        "processing": random.randrange(5, 12),
        "shipped": random.randrange(1, 4),
        "delivered": -random.randrange(1, 28),
    }[status]
    return (today + dt.timedelta(days=days)).isoformat()


def _fit(order: dict, family: str, wants: str, today: dt.date, random: Random, goods: list[str]) -> None:
    """Make an order such that the family's rule decides."""
    order["status"] = {"cancel-late": "shipped", "when": random.choice(("shipped", "delivered"))}.get(
        family, "delivered" if wants == "return" else "processing"
    )
    order["date"] = _date(order["status"], today, random)
    for item in order["items"]:
        item["final_sale"] = False
    if family == "return-late":
        order["date"] = (today - dt.timedelta(days=random.randrange(RETURN_DAYS + 1, 60))).isoformat()
    if family == "final-sale":
        for item in order["items"]:
            item["final_sale"] = True
    if family == "large":
        order["items"][0]["price"] = random.randrange(20_100, 60_000, 25) / 100
    if family == "part" and len(order["items"]) < 2:
        order["items"] += [
            {
                "name": next(name for name in goods if name != order["items"][0]["name"]),
                "price": 17.5,
                "final_sale": False,
            }
        ]
