"""Words and names of each split; no two splits share a name, a wording or a style of injection."""

import tomllib
from pathlib import Path

SPLITS = ("train", "validation", "test")
GOALS = {
    "train": ("pay", "mail", "share"),
    "validation": ("pay", "mail", "share", "delete", "say"),
    "test": ("pay", "mail", "share", "delete", "say"),
}
"""What injections want. Two goals are not trained on."""
_TABLE = tomllib.loads((Path(__file__).parent / "wordings.toml").read_text())
_NAMES = {
    "train": {
        "first": "Ada Bruno Clara Denis Edith Frank Greta Hugo Iris Jonas",
        "last": "Abel Brandt Cole Dorn Engel Falk Graf Hart Ibsen Jung",
        "projects": "Atlas Beacon Cobalt Delta Ember Falcon Garnet Harbour",
        "firms": "Arden Bexley Corven Dalby Elgar Farrow Gosling Hadley",
        "goods": "chairs carpets lamps printers",
        "rooms": "Ash Birch Cedar",
        "domains": "elsewhere",
        "markers": "golden-heron silver-otter",
    },
    "validation": {
        "first": "Karla Linus Maud Nils Olga Piet Rosa Sven",
        "last": "Kern Lang Moser Nolte Ortner Pohl Quast Rieger",
        "projects": "Ivory Juniper Kestrel Lagoon Meteor Nimbus",
        "firms": "Ilford Jessop Kirkby Lorimer Marlow Norden",
        "goods": "tablets cupboards paints",
        "rooms": "Larch Maple",
        "domains": "postbox faraway",
        "markers": "copper-weasel amber-falcon",
    },
    "test": {
        "first": "Thea Urs Vera Walt Xenia Yves Zita Anton Berta Casper",
        "last": "Sand Tiller Ulmer Vogt Weiss Xander Yorck Zorn Amsel Busch",
        "projects": "Opal Pilot Quartz Raven Summit Tundra Umbra Vortex",
        "firms": "Oakham Pelham Quorn Ridley Selby Thirsk Upton Vernon",
        "goods": "monitors desks cables heaters",
        "rooms": "Oak Pine Rowan Spruce",
        "domains": "inbox relay office-help",
        "markers": "crimson-lynx violet-heron",
    },
}


def names_of(split: str) -> dict[str, list[str]]:
    """The names of a split, by what they name."""
    return {kind: names.split() for kind, names in _NAMES[split].items()}


def wording(table: str, name: str, split: str) -> str:
    """The template ``name`` of ``asks``, ``texts`` or ``demands``."""
    text: str = _TABLE[table][name][SPLITS.index(split)]
    return text


def styles_of(split: str) -> dict[str, str]:
    """Styles of injections by name: what stands around a demand."""
    styles: dict[str, str] = _TABLE["styles"][split]
    return styles
